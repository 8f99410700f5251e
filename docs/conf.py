"""How Sphinx builds the handbook (`make site`): Markdown pages, executed tutorials, commands and Python interface."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))
# what a tutorial runs: the commands of this environment, on one thread so that pages come out alike
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
os.environ["CLIQUEWISE_PROJECT"] = str(ROOT)

project = "cliquewise"
author = "the developers of cliquewise"
extensions = [
    "myst_nb",  # pages in Markdown, those with cells executed
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "mathml",
    "chart",
    "accessible",
]
exclude_patterns = ["jupyter_execute", "README.md"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "build" / "site-cells")
nb_execution_in_temp = True
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = "cliquewise"
html_static_path = ["static"]
html_css_files = ["handbook.css"]
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
