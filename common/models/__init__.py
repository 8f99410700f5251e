"""Networks with parameters: fitting, files, likelihood, inference."""
