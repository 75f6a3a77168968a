"""Draw a report's comment the way GitHub shows it, for the README: report.json in, PNG out.

    python scripts/picture.py report.json docs/images/comment.png --css node_modules/github-markdown-css

Needs cmarkgfm (extra ``test``), the npm package github-markdown-css, and a Chromium with fonts for the text shown.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cmarkgfm import markdown_to_html_with_extensions
from cmarkgfm.cmark import Options

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fairgate.render import markdown
from fairgate.report import Report

PAGE = """<!doctype html><meta charset="utf-8"><style>{css}
body {{ margin: 0; background: {background}; font-variant-emoji: unicode }}
article {{ margin: 12px; padding: 16px; border: 1px solid {border}; border-radius: 6px }}
</style><article class="markdown-body">{body}</article>
<script>document.documentElement.dataset.height = document.documentElement.offsetHeight</script>"""

COLOURS = {"light": ("#ffffff", "#d1d9e0"), "dark": ("#0d1117", "#3d444d")}


def main() -> None:
    """Read the command line, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, help="report.json, or a Markdown file as it is")
    parser.add_argument("picture", type=Path, help="the PNG to write")
    parser.add_argument("--css", type=Path, required=True, help="the folder of github-markdown-css")
    parser.add_argument("--theme", choices=COLOURS, default="light")
    parser.add_argument("--width", type=int, default=900, help="in CSS pixels")
    parser.add_argument("--height", type=int, help="in CSS pixels; as high as the comment when not given")
    parser.add_argument("--scale", type=float, default=2.0, help="device pixels for each CSS pixel")
    chosen = parser.parse_args()
    draw(page(chosen.report, chosen.css, chosen.theme), chosen)


def page(source: Path, css: Path, theme: str) -> str:
    """The comment as a whole HTML page: GitHub's renderer, GitHub's style."""
    text = source.read_text(encoding="utf-8")
    body = markdown.comment(Report.model_validate_json(text)) if source.suffix == ".json" else text
    # Raw HTML stays, and the tag filter drops what is dangerous in it: as GitHub does.
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
    extensions = ["table", "autolink", "tagfilter", "strikethrough", "tasklist"]
    html = markdown_to_html_with_extensions(body, options=options, extensions=extensions)
    style = (css / f"github-markdown-{theme}.css").read_text(encoding="utf-8")
    background, border = COLOURS[theme]
    return PAGE.format(css=style, body=html, background=background, border=border)


def draw(html: str, chosen: argparse.Namespace) -> None:
    """Have a headless Chromium lay out the page, measure it, and draw it."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("scripts/picture.py: no Chromium was found on PATH")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "comment.html")
        file.write_text(html, encoding="utf-8")
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-sync",
                   "--no-first-run", "--disable-background-networking", "--disable-component-update",
                   f"--user-data-dir={folder}/profile", f"--force-device-scale-factor={chosen.scale}"]  # fmt: skip

        def run(height: int, *options: str) -> str:
            size = f"--window-size={chosen.width},{height}"
            words = [*command, size, *options, file.as_uri()]
            return subprocess.run(words, check=True, capture_output=True, timeout=90).stdout.decode()  # noqa: S603

        measured = re.search(r'data-height="(\d+)"', run(1000, "--dump-dom"))
        height = chosen.height or (int(measured[1]) if measured else 1000)
        chosen.picture.parent.mkdir(parents=True, exist_ok=True)
        run(height, f"--screenshot={chosen.picture.resolve()}")


if __name__ == "__main__":
    main()
