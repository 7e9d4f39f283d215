# SPDX-License-Identifier: Apache-2.0
# Sourced by tests/sandbox and tests/run: finds the parts of the machine that
# they need, installs what is missing where that is possible, and says what is
# needed where it is not.

readonly JAVA_VERSION=25

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

can_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null
}

apt_updated=
# install PACKAGE...: false where a package cannot be had.
install() {
  if [ -z "$apt_updated" ]; then
    apt-get -q update >&2 || return 1
    apt_updated=yes
  fi
  echo "Installing $*" >&2
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >&2
}

# need PROGRAM PACKAGE WHAT-FOR: installs the package where the program is missing.
need() {
  command -v "$1" >/dev/null && return
  if can_install && install "$2"; then
    return
  fi
  fail "The program '$1' is missing; it is needed for $3." \
    "Install it (Debian and Ubuntu: sudo apt-get install $2) and run this again."
}

# Prints the home of a JDK of the wanted version; false where there is none.
find_jdk() {
  local home version
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/* "$(dirname "$(dirname "$(readlink -f "$(command -v javac)" || true)")")"; do
    [ -x "$home/bin/javac" ] || continue
    version=$("$home/bin/javac" -version 2>&1 | sed -E 's/^javac ([0-9]+).*/\1/')
    if [ "$version" = "$JAVA_VERSION" ]; then
      echo "$home"
      return
    fi
  done
  return 1
}

# Sets JDK; Maven itself runs on any JDK from 17 on and finds this one by its toolchain.
need_jdk() {
  if JDK=$(find_jdk); then
    return
  fi
  if can_install; then
    install "openjdk-$JAVA_VERSION-jdk-headless" || install "temurin-$JAVA_VERSION-jdk" || true
    if JDK=$(find_jdk); then
      return
    fi
  fi
  fail "A JDK $JAVA_VERSION is missing." \
    "Install the package openjdk-$JAVA_VERSION-jdk-headless where your distribution has it," \
    "or Eclipse Temurin $JAVA_VERSION (https://adoptium.net), and run this again."
}

need_maven() {
  need mvn maven "building"
}
