"""Graphs as pictures (PNG, SVG, PDF) and as pages to look at in a browser; the layout of both."""
