"""Kills learners at random moments, and resumes them."""
