/**
 * Programs that want a whole machine, and what stands in for them. `systemctl` starts what a unit says, as the user, with the
 * variables and in the folder of the unit, where nothing but the folders that it names can be written.
 */
const SYSTEMCTL = `#!/bin/bash
set -euo pipefail
start() {
  local name=$1 instance= unit service=/var/lib/services/$1
  case $name in *@*) instance=\${name#*@}; unit=\${name%@*}@.service ;; *) unit=$name.service ;; esac
  local files=("/etc/systemd/system/$unit")
  if [ -d "\${files[0]}.d" ]; then files+=("\${files[0]}.d"/*.conf); fi
  setting() { cat "\${files[@]}" | sed -n "s/^$1=//p" | tail -n 1 | sed "s/%i/$instance/g"; }
  local user=$(setting User) own=$(setting StateDirectory) given=$(setting EnvironmentFile)
  local variables=() words writable
  user=\${user:-nobody}
  id "$user" > /dev/null
  if [ -n "$own" ]; then
    install -d -o "$user" -m "$(setting StateDirectoryMode)" "/var/lib/$own"
    writable=/var/lib/$own
  fi
  writable="\${writable:-} $(setting ReadWritePaths)"
  if [ -e "\${given#-}" ]; then mapfile -t variables < <(sed "s/='\\(.*\\)'$/=\\1/" "\${given#-}")
  elif [ "$given" != "-\${given#-}" ] && [ -n "$given" ]; then echo "$given is missing" >&2; exit 1; fi
  eval "words=($(setting ExecStart))"
  local shut="
    for each in $writable; do mount --bind \\$each \\$each; done
    for each in /etc /opt /srv /var/lib; do mount -o remount,bind,ro \\$each; done
    umask $(setting UMask)
    cd $(setting WorkingDirectory)
    exec runuser -u $user -- env -i PATH='$PATH' \\"\\$@\\""
  setsid unshare --mount sh -ec "$shut" sh "\${variables[@]}" "\${words[@]}" < /dev/null > "$service.log" 2>&1 &
  echo $! | tee "$service.pid" >> /var/lib/services/started
}
case "$*" in
  daemon-reload) touch /var/lib/services/reloaded ;;
  'enable --now '*) start "$3" ;;
  'stop '*)
    group=$(cat "/var/lib/services/$2.pid")
    kill -- -"$group"
    while pgrep -g "$group" > /dev/null; do sleep 0.1; done ;;
  'restart postgresql')
    runuser -u nobody -- pg_ctl restart --silent -D /var/lib/database -o '-k /tmp' -l /tmp/postgresql.log > /dev/null
    head -n 1 /var/lib/database/postmaster.pid >> /var/lib/services/started ;;
  'reload nginx')
    setsid nginx -g 'daemon off;' < /dev/null > /var/lib/services/nginx.log 2>&1 &
    echo $! >> /var/lib/services/started ;;
  *) echo "systemctl $* is not known here" >&2; exit 1 ;;
esac
`

const JOURNALCTL = `#!/bin/bash
set -euo pipefail
until grep -q 'cairn ready' "/var/lib/services/$2.log"; do sleep 0.1; done
cat "/var/lib/services/$2.log"
`

/** Makes sure that the file is there, and notes what it was asked for. */
const ENGINE = `#!/bin/bash
set -euo pipefail
for word in "$@"; do case $word in deploy/*) test -e "$word" ;; esac; done
echo "\${0##*/} $*"
`

/** Does nothing: the test of the Dockerfile does its work. */
const NPM = '#!/bin/sh\n'

export const STAND_INS: Readonly<Record<string, string>> = {
  systemctl: SYSTEMCTL,
  journalctl: JOURNALCTL,
  docker: ENGINE,
  kubectl: ENGINE,
  npm: NPM,
}
