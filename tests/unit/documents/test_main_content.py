"""What is left out of a saved page: navigation, banners, footers, lists of other pages; and what never is."""

import pytest

from app.documents.formats.html import parse_html
from tests.support.executed_lines import count_executed_lines

PROSE = (
    "The harbour bridge was rebuilt by Stahlbau Nord under its engineer Karin Wolf, who has led the works"
    " since 2021. "
)
ARTICLE = f"<h1>Bridge reopens</h1><p>{PROSE * 3}</p><h2>Costs</h2><p>{PROSE * 2}</p>"
LINKS = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("Alpha", "Beta", "Gamma", "Delta"))
MENU = "".join(f'<a href="/{name}">{name}</a> ' for name in ("Alpha", "Beta", "Gamma", "Delta"))
HEADLINES = "".join(
    f'<div><a href="/{name}">How bridge {name} was built in the north</a></div>' for name in "abcd"
)
NOTICE = "Your address is not published, and fields with a star are required."


def read(body: str) -> str:
    """The text of a page with this body."""
    return parse_html(
        f"<!DOCTYPE html><html><head><title>T</title></head><body>{body}</body></html>".encode()
    ).text


ARTICLE_TEXT = read(ARTICLE)


@pytest.mark.parametrize(
    "body",
    [
        f"<nav><ul>{LINKS}</ul></nav>{ARTICLE}",
        f'<div role="navigation">{LINKS}</div>{ARTICLE}',
        f"<header><p>Daily Quay</p><ul>{LINKS}</ul></header>{ARTICLE}<footer>All rights reserved.</footer>",
        f"<main>{ARTICLE}</main><aside><h2>Weather</h2><p>Rain in the north.</p></aside>",
        f"<dialog open><p>{PROSE}</p><button>Accept</button></dialog><article>{ARTICLE}</article>",
        f'<div role="dialog"><p>{PROSE}</p><button>Accept</button></div><div>{ARTICLE}</div>',
        # Without any landmark: menus by their links, a short notice by its place beside the prose.
        f"<div class=x><ul>{LINKS}</ul></div><div><div>{ARTICLE}</div><div><ul>{LINKS}</ul></div></div>",
        f"<table><tr><td><a href=a>Alpha</a><br><a href=b>Beta</a></td><td>{ARTICLE}</td></tr></table>",
        f"<div>Menu <span>|</span> Search</div><div>{ARTICLE}</div>",
        # Among the paragraphs: above the title, and as the line that ends the page.
        f"<div>{MENU}</div>{ARTICLE}",
        f"<div><h3>Sections</h3></div><div><div>{MENU}</div></div><div>{ARTICLE}</div>",
        f"{ARTICLE}<div>{MENU}</div>",
        # Headlines of other articles under a heading of their own, and a form below the text.
        f"<div><div>{ARTICLE}</div><p></p><div><h3>Read on</h3><div>{HEADLINES}</div></div></div>",
        f"<div>{ARTICLE}<form><label>Name</label><input><textarea></textarea><p>{NOTICE}</p></form></div>",
    ],
)
def test_leaves_out_what_is_not_the_text(body: str) -> None:
    assert read(body) == ARTICLE_TEXT


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        # The page is about its links.
        (f"<ul>{LINKS}</ul>", ["Alpha", "Delta"]),
        (f"<p>{PROSE}</p><ul>{LINKS * 20}</ul>", ["Alpha", "Delta"]),
        (f"<nav><ul>{LINKS}</ul></nav>", ["Alpha", "Delta"]),
        # A list that a paragraph introduces, or that has text around it.
        (f"{ARTICLE}<p>The bridge was paid for by these firms:</p><ul>{LINKS}</ul>", ["Alpha", "Delta"]),
        (f"<p>{PROSE}</p><ul>{LINKS}</ul><p>{PROSE}</p>", ["Alpha", "Delta"]),
        # People on a page about them.
        (f"<main><p>{PROSE}</p><h2>People</h2><ul>{LINKS}</ul></main>", ["Alpha", "Delta"]),
        (f"<div>{ARTICLE}<h2>People</h2><ul>{LINKS}</ul></div>", ["Alpha", "Delta"]),
        (f"<div>{ARTICLE}</div><div><h2>People</h2><div>{MENU}</div></div>", ["Alpha", "Delta"]),
        (f"<h1>Team</h1><ul>{LINKS}</ul><p>{PROSE}</p>", ["Alpha", "Delta"]),
        (
            "".join(
                f"<div><div><a href=u>User {n}</a> <a href=p>#{n}</a></div><p>{PROSE}</p></div>"
                for n in range(5)
            ),
            ["User 0", "User 4"],
        ),
        # A list of works beside the paragraph about their author, and an index.
        (f"<h1>Wolf</h1><p>{PROSE}</p><h2>Works</h2><ul>{HEADLINES}</ul>", ["bridge a", "bridge d"]),
        (f"<p>{PROSE}</p><div>{HEADLINES * 3}</div>", ["bridge a", "bridge d"]),
        (
            f"<div><p>{PROSE}</p></div><p>It is now here:</p><ul>{HEADLINES}</ul><div><p>{PROSE}</p></div>",
            ["bridge a", "bridge d"],
        ),
        # A form around the whole page.
        (f"<form>{ARTICLE}</form>", ["Stahlbau Nord"]),
        # A table of short cells beside a paragraph, with links in its cells.
        (
            f"<p>{PROSE}</p><div><table>"
            + "".join(f"<tr><td><a href=x>Ship {n}</a></td><td>Owner {n}</td></tr>" for n in range(20))
            + "</table></div>",
            ["Ship 19 | Owner 19"],
        ),
        # Facts beside an article, and its own head and foot.
        (
            f"<article><header><p>By Tilda Sand</p></header>{ARTICLE}<aside><p>Length: 220 m</p></aside>"
            "<footer>Karin Wolf lives in Kiel.</footer></article>",
            ["By Tilda Sand", "Length: 220 m", "Karin Wolf lives in Kiel."],
        ),
        # Everything lies within one landmark.
        (f"<header>{ARTICLE}</header>", ["Stahlbau Nord"]),
        (f"<aside>{ARTICLE}</aside><p>{PROSE}</p>", ["Costs"]),
        # Questions that open their answers, and a word that explains itself.
        (f"<h2><button>Who built it?</button></h2><p>{PROSE}</p>", ["Who built it?"]),
        (f"<p>{PROSE} The <button>pier</button> is of steel.</p>", ["pier"]),
        # Two parts of which neither is small.
        (f"<div><p>{PROSE}</p></div><div><p>{PROSE.replace('Wolf', 'Fuchs')}</p></div>", ["Wolf", "Fuchs"]),
    ],
)
def test_keeps_what_a_page_may_be_about(body: str, texts: list[str]) -> None:
    read_text = read(body)
    assert [text for text in texts if text not in read_text] == []


def test_a_title_is_kept_wherever_it_stands() -> None:
    page = read(f"<header><ul>{LINKS}</ul><h1>Bridge reopens</h1></header><div><p>{PROSE}</p></div>")
    assert page == f"Bridge reopens\n\n{PROSE.strip()}"


@pytest.mark.parametrize(
    "part", ["<div><nav>abc</nav>", f"<p>text</p><ul>{LINKS}</ul>", f"<section><p>{PROSE}</p>"]
)
def test_work_grows_in_proportion_to_the_page(part: str) -> None:
    """Nested landmarks and rows of lists: eight times the page, not sixty-four times the work."""
    small_count, large_count = (
        count_executed_lines(lambda: read(part * count + f"<p>{PROSE}</p>"))  # noqa: B023
        for count in (150, 1_200)
    )
    assert small_count > 150
    assert large_count < 10 * small_count
