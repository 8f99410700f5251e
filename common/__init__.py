"""What every cliquewise tool shares; knows nothing about any tool and imports nothing when it is imported itself."""
