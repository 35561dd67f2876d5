"""Does recall bring back the evidence?  Benchmarks, scoring without a language model, references."""
