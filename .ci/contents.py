"""Are the files in the distributions that only a wheel test would miss?"""

import sys
import tarfile
import zipfile
from pathlib import Path

PROMPTS = {path.name for path in Path("prompts").glob("*.md")}
DATA = {path.name for path in Path("mcp_memory/data").iterdir() if path.is_file()}


def names(path: Path) -> set[str]:
    """The files in a wheel or source distribution, without the latter's top folder."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return set(archive.namelist())
    with tarfile.open(path) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


for file in map(Path, sys.argv[1:]):
    prompts = "mcp_memory/data/prompts/" if file.suffix == ".whl" else "prompts/"
    wanted = {prompts + name for name in PROMPTS} | {f"mcp_memory/data/{name}" for name in DATA}
    wanted |= set() if file.suffix == ".whl" else {"LICENSE", "README.md", "CHANGELOG.md", "config.example.toml"}
    missing = sorted(wanted - names(file))
    print(f"{file.name}: {file.stat().st_size / 1e3:.0f} kB, {len(wanted)} files looked for")
    if missing:
        raise SystemExit(f"{file.name} lacks {', '.join(missing)}")
