# Sourced by other scripts, with $root set: installs the packages of package-lock.json if they are missing or outdated,
# finds the Node that came with them, and builds what is older than its sources.
# Invariant: node_modules/.installed is a copy of the lock file that all of node_modules was installed from, and its Node
# has run here. Until then an install has a folder of its own, so that starts do not disturb each other or later ones.

# The major version of Node in package.json.
node_major=26

fail() {
  echo "animal-store: $*" >&2
  exit 1
}

# Ensures that the packages are installed; exits with a clear message if this fails. Normally this is one cmp.
# `install_packages dev` installs what tests and checks need, too.
install_packages() {
  scope=${1:-start}
  [ -z "${ANIMAL_STORE_NODE-}" ] || "$ANIMAL_STORE_NODE" --version 2>/dev/null | grep -q "^v$node_major\." ||
    fail "ANIMAL_STORE_NODE cannot be $ANIMAL_STORE_NODE: it accepts the path of a Node of version $node_major"
  is_installed && return
  # npm starts scripts with this folder, which contains the packaged Node, before the machine's Node.
  while [ "$PATH" != "${PATH#"$root/node_modules/.bin:"}" ]; do PATH=${PATH#*:}; done
  found=$(command -v npm >/dev/null && node --version 2>/dev/null)
  echo "$found" | grep -qE '^v(1[89]|[2-9][0-9])\.' ||
    fail "the packages need npm with Node 18 or newer on the PATH to install them; found ${found:-none}"
  for old in "$root"/.cache/install.*; do
    kill -0 "${old##*.}" 2>/dev/null || [ -d "/proc/${old##*.}" ] || rm -rf "$old"
  done
  stage=$root/.cache/install.$$ npm_pid=
  trap '{ kill -KILL $npm_pid; wait; } 2>/dev/null; rm -rf "$stage"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  mkdir -p "$stage" 2>/dev/null && ln -s "$root/package.json" "$root/package-lock.json" "$root/.npmrc" "$stage" ||
    fail "cannot write to $root/.cache, so the packages cannot be installed"
  case $scope in start) install_megabytes=285 ;; dev) install_megabytes=440 ;; esac
  echo "animal-store: 1 of 3: installing packages ($install_megabytes MB) ..." >&2
  first_start=yes
  # When a connection fails, npm may end early or leave out a package without a word. The next try uses npm's cache.
  run_npm || run_npm || {
    cat "$stage/npm.log" >&2
    fail 'npm could not install the packages; its output is above'
  }
  check_node
  # A quarter of the space: Node's headers, and maps for debuggers.
  rm -rf "$stage"/node_modules/node-*/include
  [ "$scope" = dev ] || find "$stage/node_modules" -name '*.map' -exec rm -f {} +
  cp "$root/package-lock.json" "$stage/node_modules/.installed"
  # Another start may be faster, and be running what it installed.
  [ ! -e "$root/node_modules" ] || is_installed || mv "$root/node_modules" "$stage/replaced"
  mv "$stage/node_modules" "$root" 2>/dev/null || is_installed || fail "cannot replace $root/node_modules"
  rm -rf "$stage"
  trap - EXIT INT TERM HUP
}

is_installed() {
  cmp -s "$root/package-lock.json" "$root/node_modules/.installed" && { [ "$scope" = start ] || [ -d "$root/node_modules/vitest" ]; }
}

# Installs the packages into $stage; fails if npm does, or if one that is for this platform is not there.
run_npm() {
  (cd "$stage" && exec_npm_ci) >"$stage/npm.log" 2>&1 &
  npm_pid=$!
  [ ! -t 2 ] || show_progress
  wait "$npm_pid" && (cd "$stage" && node -e '
    const [scope] = process.argv.slice(1)
    const libc = process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl"
    const here = Object.entries({ os: process.platform, cpu: process.arch, libc })
    for (const [path, entry] of Object.entries(require("./package-lock.json").packages)) {
      const isHere =
        (scope === "dev" || !entry.dev) && here.every(([key, value]) => entry[key]?.includes(value) ?? true)
      if (isHere && (entry.os || !entry.optional)) require.resolve(`./${path}/package.json`)
    }' "$scope") >>"$stage/npm.log" 2>&1
}

# Shows in the terminal, until npm ends, how much of the packages is there and how long the rest takes.
show_progress() {
  npm_began=$(date +%s)
  while sleep 1 && kill -0 "$npm_pid" 2>/dev/null; do
    megabytes=$(($(du -sk "$stage" 2>/dev/null | sed 's/[^0-9].*//') / 1024 + 1))
    left=$(((install_megabytes - megabytes) * ($(date +%s) - npm_began) / megabytes + 1))
    # Before it unpacks, npm asks the registry for a while.
    [ "$megabytes" -ge 10 ] && left="about $left s" || left='a minute or more'
    printf '\r%s of %s MB, %s left    ' "$megabytes" "$install_megabytes" "$left" >&2
  done
  printf '\r%40s\r' '' >&2
}

# Node needs libatomic, which a minimal Debian does not have: its package is unpacked beside Node, which needs no root.
check_node() {
  error=$(root=$stage && find_node && "$node" --version 2>&1) && return
  (cd "$stage" && apt-get download libatomic1 && dpkg-deb -x libatomic1_*.deb . && mkdir node_modules/.lib &&
    mv usr/lib/*/libatomic.so.* node_modules/.lib && root=$stage && find_node && "$node" --version) >/dev/null 2>&1 && return
  [ "$error" = "${error#*libatomic}" ] ||
    fail 'Node needs the library libatomic.so.1: install it (Debian: apt-get install libatomic1) and start again'
  fail "no Node in the packages runs on this $(uname -sm); set ANIMAL_STORE_NODE to the path of a Node of version $node_major"
}

# Becomes npm ci in the working folder. No package may run a script.
exec_npm_ci() {
  [ -w "${npm_config_cache:-${HOME-}}" ] || export npm_config_cache="$root/.cache/npm"
  dev=--omit=dev
  [ "$scope" = start ] || dev=--include=dev
  exec_isolated npm ci "$dev" --include=optional --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error
}

# Replaces this (sub)shell by a command without the service's secrets: its environment has only what npm needs to
# reach a registry (its own settings, proxies, certificates). Usage: exec_isolated [NAME=VALUE]... COMMAND...
exec_isolated() {
  allowed='PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TZ|LANG|LC_ALL|XDG_(CONFIG|CACHE)_HOME|LD_LIBRARY_PATH'
  allowed="$allowed|NODE_(OPTIONS|EXTRA_CA_CERTS|AUTH_TOKEN)|SSL_CERT_(FILE|DIR)|(npm|NPM)_[A-Za-z0-9_]*"
  allowed="$allowed|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy"
  for name in $(env | sed -nE "s/^($allowed)=..*/\1/p"); do eval "set -- \"$name=\${$name-}\" \"\$@\""; done
  exec env -i "$@"
}

# Sets $packaged to the Node of the packages, and $node to it or to the one that ANIMAL_STORE_NODE names.
find_node() {
  for packaged in "$root"/node_modules/node-*/bin/node; do :; done
  node=${ANIMAL_STORE_NODE:-$packaged}
  [ ! -d "$root/node_modules/.lib" ] ||
    export LD_LIBRARY_PATH="$root/node_modules/.lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# Sets $program to the bundle of the server and the command line.
build_program() {
  program=$root/.cache/program/main.js
  build "${first_start:+2 of 3: }building the program (10 s)" . "${program%/*}" server client vite.config.ts package-lock.json
}

# The build lists the sources outside its folder in .sources: paths without spaces, below $root.
build_dashboard() {
  # shellcheck disable=SC2046
  build "${first_start:+3 of 3: }building the dashboard (20 s)" dashboard "$root/dashboard/dist" dashboard package-lock.json \
    $(cat "$root/dashboard/dist/.sources" 2>/dev/null)
}

# Builds the folder $2 into $3 if one of the sources after $3 is newer; normally this is one find. The time of .built is
# the start of the build. Files are moved one by one, what loads others last, because two processes can build at the same
# time; those of earlier builds are kept for a week, because running servers and open pages load them on demand.
build() {
  step=$1 folder=$2 out=$3 new=$3.$$
  shift 3
  # Folders are compared, too: their time changes when a file is removed.
  (cd "$root" && find "$@" -path 'dashboard/dist*' -prune -o ! -path dashboard ! -name '*.test.ts' \
    -newer "$out/.built" -print 2>&1) | grep -q . || return 0
  mkdir -p "$out" "$new" 2>/dev/null && : >"$new/.built" ||
    fail "cannot write to $out: run ./animal-store build as its owner"
  echo "animal-store: $step ..." >&2
  # NODE_ENV of the caller could bundle the slow development build of React.
  output=$(cd "$root" && exec_isolated NODE_ENV=production "$node" node_modules/vite/bin/vite.js build "$folder" \
    --outDir "$new" --no-emptyOutDir --logLevel error 2>&1) || {
    echo "$output" >&2
    rm -rf "$new"
    fail 'the build failed; its output is above'
  }
  (cd "$new" && find . -type d -exec mkdir -p "$out/{}" \; &&
    find . -type f -name '*-*' -exec mv -f {} "$out/{}" \; &&
    find . -type f ! -name .built -exec mv -f {} "$out/{}" \; && mv -f .built "$out") || fail "cannot write to $out"
  rm -rf "$new"
  find "$out" -type f -mtime +7 -exec rm -f {} +
}
