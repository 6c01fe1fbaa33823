# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm of one node for tests: munged, slurmctld and slurmd with folders, ports and key of their own."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from free_ports import free_ports

DAEMONS = ("/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd")


def why_not():
    """Why none can be started here; empty: one can."""
    missing = [program for program in DAEMONS if not os.path.exists(program)]
    if missing:
        return "no " + ", ".join(missing) + " (packages munge, slurmctld, slurmd, slurm-client)"
    return "" if os.geteuid() == 0 else "slurmd needs root here"


class Cluster:
    """Partitions short and long; cpu and gpu with what docs/operations.md asks of them, as far as Slurm knows."""

    def __init__(self, folder, cpus=64):
        self.folder = pathlib.Path(folder)
        self.host = socket.gethostname().split(".")[0]
        self.conf = self.folder / "slurm.conf"
        self.env = dict(os.environ, SLURM_CONF=str(self.conf))
        self.children = []
        control, node = free_ports(2)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "munge.key").write_bytes(os.urandom(64))
        (self.folder / "munge.key").chmod(0o400)
        devices = ("null", "zero", "full", "random")  # slurmd wants to see four
        (self.folder / "gres.conf").write_text(
            "".join(f"Name=gpu File=/dev/{device}\n" for device in devices))
        self.conf.write_text(f"""ClusterName=kaname
GresTypes=gpu
SlurmctldHost={self.host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge.socket
SlurmUser=root
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
MpiDefault=none
ReturnToService=2
KillWait=3
NodeName={self.host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=200000 Gres=gpu:4 Feature=h100 State=UNKNOWN
PartitionName=short Nodes={self.host} Default=YES MaxTime=10 State=UP
PartitionName=long Nodes={self.host} MaxTime=60 State=UP
PartitionName=cpu Nodes={self.host} State=UP
PartitionName=gpu Nodes={self.host} State=UP
""")

    def _spawn(self, name, *argv):
        with open(self.folder / f"{name}.out", "w", encoding="utf-8") as out:
            self.children.append(subprocess.Popen(argv, env=self.env, stdin=subprocess.DEVNULL,
                                                  stdout=out, stderr=out))

    def up(self, patience_s=30):
        munge = self.folder / "munge"
        self._spawn("munged", DAEMONS[0], "--foreground", "--force",
                    f"--key-file={munge}.key", f"--socket={munge}.socket", f"--pid-file={munge}.pid",
                    f"--log-file={munge}.log", f"--seed-file={munge}.seed", "--num-threads=2")
        deadline = time.monotonic() + patience_s
        while not (self.folder / "munge.socket").exists():
            if time.monotonic() > deadline:
                raise TimeoutError("munged: " + self.log())
            time.sleep(0.05)
        self._spawn("slurmctld", DAEMONS[1], "-D", "-i")
        self._spawn("slurmd", DAEMONS[2], "-D")
        while "idle" not in self.run("sinfo", "--noheader", "--format=%T").stdout:
            if time.monotonic() > deadline:
                raise TimeoutError("the node does not come up: " + self.log())
            time.sleep(0.2)

    def run(self, *argv):
        return subprocess.run(argv, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, check=False)

    def jobs(self):
        """[(id, name, state)] of all that the controller knows."""
        rows = self.run("squeue", "--noheader", "--states=all", "--format=%A|%j|%T").stdout
        return [tuple(row.split("|")) for row in rows.split()]

    def log(self):
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-1500:]}"
                         for path in sorted(self.folder.glob("*.out")))

    def down(self):
        with contextlib.suppress(Exception):
            self.run("scancel", "--me", "--signal=KILL")
            self.run("scancel", "--me")
        for child in reversed(self.children):
            child.send_signal(signal.SIGTERM)
        for child in reversed(self.children):
            try:
                child.wait(timeout=10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


@contextlib.contextmanager
def running_cluster(cpus=64):
    folder = tempfile.mkdtemp(prefix="kaname-slurm-")
    os.chmod(folder, 0o755)
    cluster = Cluster(folder, cpus)
    try:
        cluster.up()
        yield cluster
    finally:
        cluster.down()
        shutil.rmtree(folder, ignore_errors=True)
