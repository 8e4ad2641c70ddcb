#!/bin/sh
# make-certificate FOLDER NAME... makes a certificate authority and a certificate for these names (or
# the hosts of these URLs), where there are none or they end within 30 days:
#   FOLDER/authority  the key of the authority, for this script alone
#   FOLDER/trust      the certificate of the authority, for whoever calls
#   FOLDER/tls        the certificate and its key, for nginx
set -eu
umask 077

folder=$1
shift
authority=$folder/authority/ca.key
trusted=$folder/trust/ca.pem
certificate=$folder/tls/cairn.pem
key=$folder/tls/cairn.key
mkdir -p "$folder/authority" "$folder/trust" "$folder/tls"

names=
for name in "$@"; do
  name=${name#*://}
  name=${name%%[:/]*}
  case $name in
    *[!0-9.]*) names="$names${names:+,}DNS:$name" ;;
    *) names="$names${names:+,}IP:$name" ;;
  esac
done

lasts() {
  [ -s "$1" ] && openssl x509 -in "$1" -noout -checkend 2592000 >/dev/null
}

new_key() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

# The certificate goes first and comes last: without it, everything is made anew.
if ! [ -s "$authority" ] || ! lasts "$trusted"; then
  rm -f "$certificate" "$trusted"
  new_key "$authority"
  openssl req -x509 -new -key "$authority" -days 3650 -subj '/CN=Cairn certificate authority' \
    -addext keyUsage=critical,keyCertSign,cRLSign -out "$trusted.draft"
  chmod 644 "$trusted.draft"
  mv "$trusted.draft" "$trusted"
  echo 'made a certificate authority'
fi

if ! lasts "$certificate" || [ "$(cat "$folder/tls/names")" != "$names" ]; then
  rm -f "$certificate"
  new_key "$key"
  printf '%s\n' "subjectAltName=$names" basicConstraints=critical,CA:FALSE \
    keyUsage=critical,digitalSignature extendedKeyUsage=serverAuth >"$folder/tls/extensions"
  openssl req -new -key "$key" -subj '/CN=cairn' -out "$folder/tls/request"
  openssl x509 -req -in "$folder/tls/request" -CA "$trusted" -CAkey "$authority" \
    -set_serial "0x$(openssl rand -hex 16)" -days 397 -extfile "$folder/tls/extensions" \
    -out "$certificate.draft" 2>/dev/null
  printf '%s' "$names" >"$folder/tls/names"
  rm "$folder/tls/request" "$folder/tls/extensions"
  mv "$certificate.draft" "$certificate"
  echo "made a certificate for $names"
fi
