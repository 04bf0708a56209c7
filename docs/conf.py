"""Sphinx: how the documentation is built (make docs). Nothing is fetched from a network."""

import sys
import warnings
from importlib.metadata import version as version_of
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "tools"))

from generated import COPIES, forget_old_examples, write_generated  # noqa: E402

project = "datakin"
author = "The datakin developers"
copyright = author
version = release = version_of("datakin")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = ["_build", "generated/claims.md", "gallery", "tools"]
# A name in backticks links to the API where there is such a name, and is plain where not.
default_role = "autolink"
nitpicky = True
# Short names in backticks may be parameters; full names must exist.
nitpick_ignore_regex = [("py:obj", r"(?!datakin\.).*")]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

html_theme = "furo"
html_title = f"datakin {release}"
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"

autodoc_typehints = "none"  # numpydoc sections say it, in words
autodoc_member_order = "bysource"
autosummary_generate = False
# The pages of datakin.deep need no PyTorch: what it imports is made up where it is not installed.
autodoc_mock_imports = [name for name in ("torch", "PIL") if find_spec(name) is None]
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("matplotlib",),
    "abort_on_example_error": True,
    "run_stale_examples": True,  # pictures show what the code draws today
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**6,
    "write_computation_times": False,
    "remove_config_comments": True,
    "plot_gallery": "True",
}
suppress_warnings = ["config.cache"]  # conf.py holds objects that Sphinx cannot keep

warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

write_generated(HERE)
forget_old_examples(HERE)


def setup(app):
    """Lead links to files of the repository to their copies; hide how a table is made inside."""

    def rewrite(app, name, source):
        for path, copy in COPIES.items():
            source[0] = source[0].replace(f"]({path}", f"]({copy}")

    def signature(app, what, name, *rest):  # made by `measure` and `load`, never by a caller
        return ("", None) if name == "datakin.CrossErrors" else None

    app.connect("source-read", rewrite)
    app.connect("autodoc-process-signature", signature, priority=900)
