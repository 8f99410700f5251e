"""What every command needs: options, error boundary, progress line, trace files, certified finish."""
