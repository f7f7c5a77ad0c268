"""MobileCS: Chinese mobile customer service, extraction and dialogue (SereTOD challenge 2022)."""
