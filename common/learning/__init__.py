"""Runs of learners, from options to certified results; they touch nothing of their process."""
