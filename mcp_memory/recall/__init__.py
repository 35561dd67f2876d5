"""From a query to a few dated lines: plan, leaves, cascade, climb, gate, fit."""
