"""A bare system of Debian or Ubuntu in a folder, and commands in it. For fresh.py and packages.py.

The mirror, proxies and certificates are those of this machine's own configuration. Mounts and processes of a
command are in namespaces that end with it.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

CERTIFICATES = "/etc/ssl/host-certificates.crt"
# What debootstrap needs to know beyond Debian: it does not know every release of Ubuntu by name, but makes
# them all in one way.
UBUNTU = ("noble",)
UBUNTU_MIRROR = "http://archive.ubuntu.com/ubuntu"
UBUNTU_SCRIPT = "gutsy"
UBUNTU_KEYRING = Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
VIEWER_URL = re.compile(rb"http://localhost:\d+/\?token=[0-9a-f]+")


def output_of(*command):
    """What a command of this machine prints; nothing where it cannot be run."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def host_mirror(distribution):
    """The mirror of Debian or Ubuntu that this machine uses, or None."""
    lines = output_of("apt-get", "indextargets", "--format",
                      "$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)", "Created-By: Packages")
    for line in lines.splitlines():
        origin, label, component, uri = line.split("|")
        if (origin, label, component) == (distribution, distribution, "main"):
            return uri
    return None


def host_proxies():
    """Environment variables of proxies, from the environment and from apt's configuration."""
    found = {name: value for name, value in os.environ.items()
             if name.lower() in ("http_proxy", "https_proxy", "no_proxy", "ftp_proxy")}
    for scheme in ("http", "https"):
        setting = output_of("apt-config", "shell", "proxy", f"Acquire::{scheme}::Proxy")
        value = "".join(shlex.split(setting.partition("=")[2]))
        if value and value != "DIRECT":
            found.setdefault(f"{scheme}_proxy", value)
    return found


def host_npm():
    """Environment variables that give npm inside the settings it has outside."""
    found = {}
    for name in ("registry", "proxy", "https-proxy"):
        value = output_of("npm", "config", "get", name)
        if value not in ("", "null", "undefined"):
            found[f"npm_config_{name.replace('-', '_')}"] = value
    return found


def host_certificates():
    """The file of certificates that this machine trusts, or None."""
    for path in (os.environ.get("SSL_CERT_FILE"), "/etc/ssl/certs/ca-certificates.crt",
                 "/etc/pki/tls/certs/ca-bundle.crt"):
        if path and Path(path).is_file():
            return Path(path)
    return None


def parent_folder():
    """Where systems are made."""
    return Path(os.environ.get("WARPSIGHT_FRESH_DIR", "/var/tmp"))


def check_machine(folder, release, disk_needed):
    """Ends the program, and says why, where no system can be made."""
    if os.geteuid() != 0:
        sys.exit("making a bare system needs root")
    if not shutil.which("debootstrap"):
        sys.exit("debootstrap was not found: apt-get install debootstrap")
    folder.mkdir(parents=True, exist_ok=True)
    if release in UBUNTU and not UBUNTU_KEYRING.is_file():
        sys.exit(f"{UBUNTU_KEYRING} was not found: it is in the package ubuntu-keyring")
    free = shutil.disk_usage(folder).free
    if free < disk_needed:
        sys.exit(f"{folder} has {free >> 30} GB free, {disk_needed >> 30} GB are needed: "
                 "WARPSIGHT_FRESH_DIR names another folder")


def system_name(release):
    return f"{'Ubuntu' if release in UBUNTU else 'Debian'} {release}"


def debootstrap_command(root, release):
    if release in UBUNTU:
        mirror = host_mirror("Ubuntu") or UBUNTU_MIRROR
        return ["debootstrap", "--variant=minbase", "--components=main,universe",
                f"--keyring={UBUNTU_KEYRING}", release, str(root), mirror, UBUNTU_SCRIPT]
    # Without a mirror, debootstrap takes its own default.
    return ["debootstrap", "--variant=minbase", release, str(root), *filter(None, [host_mirror("Debian")])]


def make_system(root, release, proxies):
    """Installs the essential packages only; root's parent folder gets the log."""
    with open(root.parent / "debootstrap.log", "wb") as log:
        done = subprocess.run(debootstrap_command(root, release), stdout=log, stderr=log,
                              env={**os.environ, **proxies}, check=False)
    if done.returncode != 0:
        sys.stdout.write((root.parent / "debootstrap.log").read_text(errors="replace")[-3000:])
        sys.exit(f"debootstrap could not make {system_name(release)}")
    for name in ("resolv.conf", "hosts"):
        if Path("/etc", name).is_file():
            shutil.copyfile(Path("/etc", name), root / "etc" / name)
    own = Path("/usr/local/share/ca-certificates")
    if own.is_dir():  # taken in when the package ca-certificates is installed
        shutil.copytree(own, root / "usr/local/share/ca-certificates", dirs_exist_ok=True)
    certificates = host_certificates()
    if certificates:
        (root / CERTIFICATES[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(certificates, root / CERTIFICATES[1:])


def plain_environment(proxies):
    """What a new user's shell has."""
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
            "TERM": os.environ.get("TERM", "dumb"), "LANG": "C.UTF-8", **proxies}


def command_inside(root, environment, command, folder="/root"):
    """A command line that runs `command` in a folder of the system, with mounts and processes of its own."""
    mounts = " && ".join((
        f"mount -t proc proc {root}/proc",
        f"mount --rbind /sys {root}/sys",
        f"mount --rbind /dev {root}/dev"))
    variables = " ".join(shlex.quote(f"{name}={value}") for name, value in environment.items())
    inside = shlex.quote(f"cd {shlex.quote(folder)} && exec {command}")
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
            f"{mounts} && exec chroot {root} env -i {variables} bash -c {inside}"]


def page_problem(address):
    """Opens the viewer's page as a browser does; what is wrong with it, or None."""
    # The first answer takes the token out of the address and sets a cookie.
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    try:
        with browser.open(address, timeout=20) as page:
            return None if b"<title>" in page.read() else "the viewer's page has no title"
    except OSError as error:
        return f"the viewer's page could not be opened: {error}"


def remove(folder):
    subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=False)
