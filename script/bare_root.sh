# A bare Debian 12 in a folder, to see what Warpbook needs and leaves on a machine that has nothing else; sourced after lib.sh. Needs
# root, debootstrap and unshare.
#
#     new_bare_root "$folder"
#     in_bare_root "$folder" apt-get install -y -q ./warpbook.deb
#     remove_bare_root "$folder"

# What debootstrap made is kept here for a week, since it takes minutes; about 100 MB.
bare_archive=${XDG_CACHE_HOME:-$HOME/.cache}/warpbook/bare-bookworm-$(dpkg --print-architecture).tar

# This machine's own mirror of Debian; empty: it has none, and debootstrap takes the one that it knows. Sources of another release
# or of an extra repository are no mirror of it.
bare_mirror() {
  { apt-get indextargets --format '$(SITE)' 'Origin: Debian' 'Codename: bookworm' || true; } 2>/dev/null | sed -n 1p
}

# FOLDER: does not exist yet. Becomes a Debian 12 of its essential packages and apt, with this machine's mirror and name servers.
new_bare_root() {
  local folder=$1
  if ((EUID != 0)); then
    complain "A bare Debian is made by debootstrap, which needs root. Run this script with sudo."
    return 5
  fi
  if [[ -z "$(find "$bare_archive" -mtime -7 2>/dev/null)" ]]; then
    say "Making a bare Debian 12 with debootstrap, which is kept in $bare_archive for a week."
    mkdir -p "$(dirname "$bare_archive")"
    local mirror
    mirror=$(bare_mirror)
    debootstrap --variant=minbase bookworm "$folder" ${mirror:+"$mirror"} >"$folder.log" || {
      tail -n 20 "$folder.log" >&2
      complain "debootstrap could not make a bare Debian 12${mirror:+ from $mirror}."
      return 1
    }
    rm -f "$folder.log"
    tar -C "$folder" --one-file-system -cf "$bare_archive.new" .
    mv "$bare_archive.new" "$bare_archive"
  else
    mkdir -p "$folder"
    tar -C "$folder" -xf "$bare_archive"
  fi
  cp --remove-destination /etc/resolv.conf /etc/hosts "$folder/etc/"
  printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"  # services stay stopped
  chmod +x "$folder/usr/sbin/policy-rc.d"
  in_bare_root "$folder" apt-get update -q
}

# Runs a command in it as root, with an environment, processes and mounts of its own, all of which end with the command.
in_bare_root() {
  local folder=$1
  shift
  unshare --mount --pid --fork --kill-child env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    sh -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/tmp" && exec chroot "$0" "$@"' \
    "$folder" "$@"
}

remove_bare_root() { rm -rf --one-file-system "$1"; }
