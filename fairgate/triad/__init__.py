"""The RAG triad: faithfulness, context precision and answer relevance, and the panel that settles borderline scores."""
