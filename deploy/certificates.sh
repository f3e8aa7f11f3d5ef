#!/bin/sh
# Make certificates for a club on several machines: deploy/certificates.sh FOLDER MACHINE=ADDRESS ...
#
# FOLDER gets an authority, ca.pem and ca.key, unless it has one, and a folder for each machine: member.pem and member.key for its etcd, which is
# a server and a client of the others, and node.pem and node.key for its club, a client alone. ADDRESS is what the others reach the machine by:
# an IP address or a host name. ca.key signs all of them: keep it off the machines. Machines that have certificates already get none.
set -eu
umask 077

if [ $# -lt 2 ]; then
  sed -n '2s/^# //p' "$0" >&2
  exit 2
fi
folder=$1
shift
years=$((10 * 365))

# make NAME SUBJECT EXTENSIONS: a key and a certificate by the authority.
make() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key.new" -subj "/O=Ludoteca/CN=$2" -out "$1.csr" 2>/dev/null
  printf '%s\n' "basicConstraints=critical,CA:FALSE" "keyUsage=critical,digitalSignature" "$3" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -set_serial "0x$(openssl rand -hex 16)" -days $years -sha256 \
    -extfile "$1.ext" -out "$1.pem" 2>/dev/null
  mv "$1.key.new" "$1.key"
  rm "$1.csr" "$1.ext"
}

mkdir -p "$folder"
if [ ! -e "$folder/ca.pem" ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$folder/ca.key" -subj "/O=Ludoteca/CN=Ludoteca authority" -days $years \
    -sha256 -addext "keyUsage=critical,keyCertSign,cRLSign" -out "$folder/ca.pem" 2>/dev/null
fi
for machine in "$@"; do
  name=${machine%%=*}
  address=${machine#*=}
  case $name in
  "" | "$machine" | *[!A-Za-z0-9-]*)
    echo "$machine is no MACHINE=ADDRESS" >&2
    exit 2
    ;;
  esac
  case $address in
  "" | *[!A-Za-z0-9.:-]*)
    echo "$address is no address" >&2
    exit 2
    ;;
  *:*) at=IP:$address ;;
  *[!0-9.]*) at=DNS:$address ;;
  *) at=IP:$address ;;
  esac
  mkdir -p "$folder/$name"
  cp "$folder/ca.pem" "$folder/$name/ca.pem"
  [ -e "$folder/$name/member.key" ] ||
    make "$folder/$name/member" "etcd $name" "extendedKeyUsage=serverAuth,clientAuth
subjectAltName=$at"
  [ -e "$folder/$name/node.key" ] || make "$folder/$name/node" "club $name" "extendedKeyUsage=clientAuth"
done
