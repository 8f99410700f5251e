"""Formulas of the handbook as MathML, which browsers draw themselves: nothing is loaded from elsewhere."""

from docutils import nodes
from latex2mathml.converter import convert


def inline(writer, node):
    """A formula in a line."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer, node):
    """A formula on a line of its own."""
    writer.body.append(f'<div class="formula" tabindex="0">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app):
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True}
