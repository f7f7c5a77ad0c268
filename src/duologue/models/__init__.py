"""Neural building blocks shared by several challenges; torch is imported here and in `network` modules only."""
