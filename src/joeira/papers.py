"""The literature: every paper that a method follows, declared once.

A method names its papers and, where it came to Joeira by way of one of the five Portuguese-language
works at the origin of the project, that work. `joeira methods`, the documentation and CITATION.cff
are made from these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """Where a method was published."""

    authors: str
    year: int | None
    title: str
    venue: str = ""

    def __str__(self) -> str:
        """Return a one-line citation."""
        written = f"{self.authors} ({self.year})" if self.year else self.authors
        return " ".join(f"{part}." for part in (written, self.title, self.venue) if part)


# --- The works that Joeira began with -------------------------------------------------------------

FERNANDES_2021 = Paper(
    "T. M. J. Fernandes",
    2021,
    "Extração de Informação de Páginas Web",
    "Master's dissertation, Instituto Superior Técnico, Lisbon",
)
VELLOSO_2014 = Paper(
    "R. P. Velloso",
    2014,
    "Algoritmo não supervisionado para segmentação e remoção de ruído de páginas web utilizando "
    "tag paths",
    "Master's dissertation, Universidade Federal de Santa Catarina",
)
NCE_CHAPTER = Paper(
    "",
    None,
    "Algoritmo NCE (News Content Extractor)",
    "Chapter 3 of a dissertation in Portuguese",
)
"""The chapter does not name its author."""
DAOUD_2013 = Paper(
    "C. M. Daoud",
    2013,
    "Aprendendo a segmentar páginas Web",
    "Master's dissertation, Universidade Federal do Amazonas",
)
RIBEIRO_MIRANDA = Paper(
    "M. T. C. Ribeiro and L. C. de O. Miranda",
    None,
    "Trabalho Prático 1: Extração Automática de Dados",
    "Course report, Universidade Federal de Minas Gerais",
)
ORIGINS = (FERNANDES_2021, VELLOSO_2014, NCE_CHAPTER, DAOUD_2013, RIBEIRO_MIRANDA)

# --- Papers ---------------------------------------------------------------------------------------

CAI_2003 = Paper(
    "D. Cai, S. Yu, J.-R. Wen and W.-Y. Ma",
    2003,
    "VIPS: a vision-based page segmentation algorithm",
    "Microsoft Research technical report MSR-TR-2003-79",
)
BAR_YOSSEF_2002 = Paper(
    "Z. Bar-Yossef and S. Rajagopalan",
    2002,
    "Template detection via data mining and its applications",
    "WWW",
)
DEBNATH_2005 = Paper(
    "S. Debnath, P. Mitra, N. Pal and C. L. Giles",
    2005,
    "Automatic identification of informative sections of web pages",
    "IEEE TKDE 17(9)",
)
FERNANDES_2011 = Paper(
    "D. Fernandes, E. S. de Moura, A. S. da Silva, B. Ribeiro-Neto and E. Braga",
    2011,
    "A site oriented method for segmenting web pages",
    "SIGIR",
)
FINN_2001 = Paper(
    "A. Finn, N. Kushmerick and B. Smyth",
    2001,
    "Fact or fiction: content classification for digital libraries",
    "DELOS Workshop on Personalisation and Recommender Systems in Digital Libraries",
)
GUPTA_2003 = Paper(
    "S. Gupta, G. Kaiser, D. Neistadt and P. Grimm",
    2003,
    "DOM-based content extraction of HTML documents",
    "WWW",
)
KOHLSCHUETTER_2008 = Paper(
    "C. Kohlschütter and W. Nejdl",
    2008,
    "A densitometric approach to web page segmentation",
    "CIKM",
)
LABER_2009 = Paper(
    "E. S. Laber et al.",
    2009,
    "A fast and simple method for extracting relevant content from news webpages",
    "CIKM",
)
LIN_2002 = Paper(
    "S.-H. Lin and J.-M. Ho",
    2002,
    "Discovering informative content blocks from web documents",
    "KDD",
)
LIU_2003 = Paper("B. Liu, R. Grossman and Y. Zhai", 2003, "Mining data records in web pages", "KDD")
PINTO_2002 = Paper(
    "D. Pinto, M. Branstein, R. Coleman, W. B. Croft, M. King, W. Li and X. Wei",
    2002,
    "QuASM: a system for question answering using semi-structured data",
    "JCDL",
)
VALIENTE_2001 = Paper("G. Valiente", 2001, "An efficient bottom-up distance between trees", "SPIRE")
VELLOSO_2013 = Paper(
    "R. P. Velloso and C. F. Dorneles",
    2013,
    "Automatic web page segmentation and noise removal for structured extraction using tag path "
    "sequences",
    "Journal of Information and Data Management",
)
WENINGER_2010 = Paper(
    "T. Weninger, W. H. Hsu and J. Han", 2010, "CETR: content extraction via tag ratios", "WWW"
)
YI_2003 = Paper(
    "L. Yi, B. Liu and X. Li",
    2003,
    "Eliminating noisy information in web pages for data mining",
    "KDD",
)
ZHAI_2005 = Paper(
    "Y. Zhai and B. Liu", 2005, "Web data extraction based on partial tree alignment", "WWW"
)
