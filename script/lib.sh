# What the scripts share; sourced, not run. Afterwards the working directory is the repository's root.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=$(nproc)

say() { printf '%s\n' "$*"; }
complain() { printf '%s\n' "$*" >&2; }

# True where a window could open. Debian's GLFW speaks X11, which Wayland desktops offer too.
has_display() { [[ -n "${DISPLAY:-}" ]]; }

# The build folder of a preset.
build_folder() {
  case "$1" in
    release) echo "$root/build" ;;
    *) echo "$root/build-$1" ;;
  esac
}
