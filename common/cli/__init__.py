"""The common part of all commands: options, error boundary, progress line, trace files, certified finish."""
