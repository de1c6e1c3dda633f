# Sourced by ./animal-store, test/run and other scripts, with $root set: installs the packages of package-lock.json if
# they are missing or outdated, finds the Node that came with them, and builds what is older than its sources.
# Invariant: node_modules/.installed is a copy of the lock file that all of node_modules was installed from, and its Node
# has run here. Until then an install has a folder of its own: starts at the same time do not disturb each other, and an
# interrupted one leaves nothing that a later one uses.

# The major version of Node in package.json, and the size of node_modules.
node_major=26
install_megabytes=505

fail() {
  echo "animal-store: $*" >&2
  exit 1
}

# Ensures that the packages are installed; exits with a clear message if this fails. Normally this is one cmp.
install_packages() {
  case ${ANIMAL_STORE_NODE:+is $("$ANIMAL_STORE_NODE" --version 2>/dev/null)} in
    '' | "is v$node_major."*) ;;
    *) fail "ANIMAL_STORE_NODE cannot be $ANIMAL_STORE_NODE: it accepts the path of a Node of version $node_major" ;;
  esac
  is_installed && return
  # npm starts scripts with this folder, which contains the packaged Node, before the machine's Node.
  while [ "$PATH" != "${PATH#"$root/node_modules/.bin:"}" ]; do PATH=${PATH#*:}; done
  found=$(command -v npm >/dev/null && node --version 2>/dev/null)
  case $found in
    v1[89].* | v[2-9][0-9].*) ;;
    *) fail "the packages need npm with Node 18 or newer on the PATH to install them; found ${found:-none}" ;;
  esac
  for old in "$root"/.cache/install.*; do
    kill -0 "${old##*.}" 2>/dev/null || [ -d "/proc/${old##*.}" ] || rm -rf "$old"
  done
  stage=$root/.cache/install.$$
  trap 'rm -rf "$stage"' EXIT
  mkdir -p "$stage" 2>/dev/null && cp "$root/package.json" "$root/package-lock.json" "$stage" ||
    fail "cannot write to $root/.cache, so the packages cannot be installed"
  [ ! -e "$root/.npmrc" ] || cp "$root/.npmrc" "$stage"
  echo "animal-store: 1 of 3: installing packages ($install_megabytes MB) ..." >&2
  first_start=yes
  # What npm leaves half-done is in its own folder.
  trap '{ kill -KILL "$npm_pid"; wait "$npm_pid"; } 2>/dev/null; exit 130' INT
  trap '{ kill -KILL "$npm_pid"; wait "$npm_pid"; } 2>/dev/null; exit 143' TERM HUP
  # When a connection fails, npm may end early or leave out a package without a word. The next try uses npm's cache.
  for tries_left in 1 0; do
    (exec_npm_ci "$stage") >"$stage/npm.log" 2>&1 &
    npm_pid=$!
    [ ! -t 2 ] || show_progress
    wait "$npm_pid" && find_missing >>"$stage/npm.log" 2>&1 && break
    [ $tries_left = 1 ] || {
      cat "$stage/npm.log" >&2
      fail 'npm could not install the packages; its output is above'
    }
  done
  [ -n "${ANIMAL_STORE_NODE-}" ] || check_packaged_node
  cp "$root/package-lock.json" "$stage/node_modules/.installed"
  is_installed || { # another start may have been faster
    [ ! -e "$root/node_modules" ] || mv "$root/node_modules" "$stage/replaced"
    mv "$stage/node_modules" "$root" || fail "cannot replace $root/node_modules"
  }
  rm -rf "$stage"
  trap - EXIT INT TERM HUP
}

is_installed() { cmp -s "$root/package-lock.json" "$root/node_modules/.installed"; }

# Fails, and prints them, if packages for this platform are missing. (Optional ones of no platform belong to others.)
find_missing() (
  cd "$stage" && node -e '
    const { packages } = JSON.parse(require("fs").readFileSync("package-lock.json", "utf8"))
    const ownLibc = process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl"
    const fits = (list, value) => !list || list.includes(value)
    const missing = Object.keys(packages).filter((path) => {
      const { cpu, libc, optional, os } = packages[path]
      const isHere = fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, ownLibc)
      return isHere && (os || !optional) && !require("fs").existsSync(`./${path}/package.json`)
    })
    if (missing.length) throw new Error(`npm left out ${missing}`)'
)

# Shows in the terminal, until npm ends, how much of the packages is there and how long the rest takes.
show_progress() {
  seconds=0
  while sleep 1 && kill -0 "$npm_pid" 2>/dev/null; do
    seconds=$((seconds + 1))
    megabytes=$(($(du -sk "$stage" | sed 's/[^0-9].*//') / 1024 + 1))
    left=$(((install_megabytes - megabytes) * seconds / megabytes))
    printf '\r%s of %s MB, about %s s left    ' "$megabytes" "$install_megabytes" "$((left > 0 ? left : 1))" >&2
  done
  printf '\r%40s\r' '' >&2
}

# Node needs libatomic, which a minimal Debian does not have: its package is unpacked beside Node, which needs no root.
check_packaged_node() {
  name_packaged_node "$stage"
  error=$("$packaged" --version 2>&1) && return
  case $error in
    *libatomic*) ;;
    *) fail "no Node in the packages runs on this $(uname -sm); set ANIMAL_STORE_NODE to the path of a Node of version $node_major" ;;
  esac
  (cd "$stage" && apt-get download libatomic1 && dpkg-deb -x libatomic1_*.deb . && mkdir node_modules/.lib &&
    mv usr/lib/*/libatomic.so.* node_modules/.lib && LD_LIBRARY_PATH=node_modules/.lib "$packaged" --version) \
    >/dev/null 2>&1 ||
    fail 'Node needs the library libatomic.so.1: install it (Debian: apt-get install libatomic1) and start again'
}

# Becomes npm ci in the folder $1; the other arguments are options. No package may run a script.
exec_npm_ci() {
  cd "$1" || exit
  shift
  [ -w "${npm_config_cache:-${HOME-}}" ] || export npm_config_cache="$root/.cache/npm"
  exec_isolated npm ci "$@" --include=dev --include=optional --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error
}

# Replaces this (sub)shell by a command without the service's secrets: its environment has only what npm needs to
# reach a registry (its own settings, proxies, certificates). Usage: exec_isolated [NAME=VALUE]... COMMAND...
exec_isolated() {
  for name in PATH HOME USER LOGNAME SHELL TERM TMPDIR TZ LANG LC_ALL XDG_CONFIG_HOME XDG_CACHE_HOME LD_LIBRARY_PATH \
    NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_AUTH_TOKEN SSL_CERT_FILE SSL_CERT_DIR \
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy \
    $(env | sed -n -e 's/^\(npm_[A-Za-z0-9_]*\)=.*/\1/p' -e 's/^\(NPM_[A-Z0-9_]*\)=.*/\1/p'); do
    eval "value=\${$name-}"
    [ -z "$value" ] || set -- "$name=$value" "$@"
  done
  exec env -i "$@"
}

# Sets $packaged to the Node below $1: npm installs the one package that is for this platform.
name_packaged_node() { for packaged in "$1"/node_modules/node-*/bin/node; do :; done; }

# Sets $node to the Node that ANIMAL_STORE_NODE names, else to the one of the packages.
find_node() {
  name_packaged_node "$root"
  node=${ANIMAL_STORE_NODE:-$packaged}
  lib=$root/node_modules/.lib
  [ ! -d "$lib" ] || export LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# Sets $program to the bundle of the server and the command line.
build_program() {
  program=$root/.cache/program/main.js
  build '2 of 3: building the program (10 s)' . .cache/program server client vite.config.ts package-lock.json
}

# The build lists the sources outside its folder in .sources: paths without spaces, below $root.
build_dashboard() {
  # shellcheck disable=SC2046
  build '3 of 3: building the dashboard (20 s)' dashboard dashboard/dist dashboard package-lock.json \
    $(cat "$root/dashboard/dist/.sources" 2>/dev/null)
}

# Builds the folder $2 into $3 if one of the sources after $3 is newer; normally this is one find. Files are moved one by
# one, what loads others last, because two processes can build at the same time; those of earlier builds are kept for a
# week, because running servers and open pages load them on demand.
build() {
  step=$1 folder=$2 out=$root/$3
  [ -n "${first_start-}" ] || step=${step#*: }
  shift 3
  # Folders are compared, too: their time changes when a file is removed.
  changed=$(cd "$root" && find "$@" -path 'dashboard/dist*' -prune -o ! -path dashboard ! -name '*.test.ts' \
    -newer "$out/.built" -print 2>&1 | head -n 1)
  [ -n "$changed" ] || return 0
  mkdir -p "$out" 2>/dev/null && [ -w "$out" ] || fail "cannot write to $out: run ./animal-store build as its owner"
  echo "animal-store: $step ..." >&2
  run_vite "$folder" "$out.$$" || fail 'the build failed; its output is above'
  (cd "$out.$$" && find . -type d -exec mkdir -p "$out/{}" \; &&
    find . -type f -name '*-*' -exec mv -f {} "$out/{}" \; &&
    find . -type f ! -name .built -exec mv -f {} "$out/{}" \; && mv -f .built "$out") || fail "cannot write to $out"
  rm -rf "$out.$$"
  find "$out" -type f -mtime +7 -exec rm -f {} +
}

# Builds the folder $1 into $2; the time of .built is the start of the build. Shows the output on failure.
run_vite() {
  mkdir -p "${2%/*}"
  : >"$2.began"
  # NODE_ENV of the caller could bundle the slow development build of React.
  output=$(cd "$root" && exec_isolated NODE_ENV=production "$node" node_modules/vite/bin/vite.js build "$1" \
    --outDir "$2" --emptyOutDir --logLevel error 2>&1) && mv "$2.began" "$2/.built" && return
  echo "$output" >&2
  rm -rf "$2" "$2.began"
  return 1
}
