# Sourced by the other scripts: makes .venv and installs the package into it.
# Does nothing, quickly, when neither pyproject.toml nor what is compiled has changed since the last time.
# A C compiler is optional: without one the package is pure Python, slower but with the same answers.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
case $(uname -s) in
    MINGW* | MSYS* | CYGWIN*) programs=Scripts ;; # Windows, with the bash that comes with git
    *) programs=bin ;;
esac
unset PYTHONHOME PYTHONPATH PIP_USER PIP_TARGET PIP_PREFIX
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

say() { printf '%s\n' "joeira: $*" >&2; }
die() { say "$*"; exit 1; }

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# The first interpreter that is Python 3.11 or newer; $PYTHON goes first.
find_python() {
    local name
    for name in ${PYTHON:-} python3 python3.11 python3.12 python3.13 python3.14 python; do
        if is_new_enough "$name"; then
            printf '%s\n' "$name"
            return
        fi
    done
    die "needs Python 3.11 or newer, and found none (looked for python3, python3.11, ...; set PYTHON=/path/to/python3.11)"
}

# Usable: it runs, it has pip, and it was made for this folder (scripts in it hold absolute paths).
venv_is_usable() {
    is_new_enough "$venv/$programs/python" \
        && [ "$(cat "$venv/.made-for" 2>/dev/null)" = "$root" ] \
        && "$venv/$programs/python" -m pip --version >/dev/null 2>&1
}

make_venv() {
    local python output
    if [ -e "$venv" ] && [ ! -e "$venv/.made-for" ]; then
        die "$venv exists but was not made by this script; move it away first"
    fi
    python=$(find_python) || exit 1
    say "making .venv with $("$python" --version 2>&1)"
    rm -rf "$venv"
    mkdir "$venv"
    printf '%s\n' "$root" >"$venv/.made-for" # first, so that an interrupted run is known as ours
    if ! output=$("$python" -m venv "$venv" 2>&1); then
        printf '%s\n' "$output" >&2
        rm -rf "$venv"
        die "could not make .venv; on Debian and Ubuntu the venv module is a package of its own: apt install python3-venv"
    fi
}

# What the installation depends on, as one line.
fingerprint() {
    local compiled=("$root"/hatch_build.py "$root"/src/joeira/_native/*.{pyx,pxd,pxi,h})
    printf '%s %s\n' "$root" "$(cat "$root/pyproject.toml" "${compiled[@]}" | cksum)"
}

is_installed() { [ -x "$venv/$programs/joeira" ] && [ "$(cat "$venv/.installed-$1" 2>/dev/null)" = "$(fingerprint)" ]; }

# install NAME [EXTRAS]: the package, editable, with the extras; remembered under NAME.
install() {
    local name=$1 extras=${2:-}
    local log=$venv/install-$name.log
    say "installing joeira${extras:+ with }$extras"
    if ! "$venv/$programs/python" -m pip install --editable "$root${extras:+[$extras]}" >"$log" 2>&1; then
        cat "$log" >&2
        die "pip could not install joeira (its output is above)"
    fi
    fingerprint >"$venv/.installed-$name"
}

# ensure NAME [EXTRAS]: a usable .venv with the package and the extras in it.
ensure() {
    is_installed "$1" && return
    exec 9>"$root/.venv.lock"
    if command -v flock >/dev/null; then flock 9; fi # two first runs at the same time
    if ! is_installed "$1"; then
        venv_is_usable || make_venv
        install "$@"
    fi
    exec 9>&-
}

# make_scratch: a folder in $scratch for as long as the script runs, with a venv of its own in it, in
# which nothing of this clone is installed; its programs are in $clean.
make_scratch() {
    local python
    python=$(find_python) || exit 1
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    say "making an environment with $("$python" --version 2>&1)"
    "$python" -m venv "$scratch/venv"
    clean=$scratch/venv/$programs
}
