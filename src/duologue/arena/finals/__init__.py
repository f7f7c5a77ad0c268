"""Finals of tracks that campaigns decide: people rate what finalists handed in, and the board says what came of it."""
