// SPDX-License-Identifier: BSD-3-Clause
// The fake server answers with these data: an interface like that of the Nankai trough, jobs in all states,
// workers with
// and without GPUs, and names that would do harm if they were taken for markup.

export const HOSTILE = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>';

const NOW = Math.floor(Date.now() / 1000);
const uuid = (n) => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;

/** A generator of numbers in 0..1 that gives the same ones each time. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function job(n, title, state, sources, done, more = {}) {
  const failed = more.failed ?? 0;
  const live = state === "ACTIVE" ? sources - done - failed : 0;
  return {
    name: `jobs/${uuid(n)}`, title, owner: more.owner ?? "ada", state, priority: more.priority ?? 0,
    counts: {
      sources: String(sources), done: String(done), failed: String(failed), live: String(live),
      cancelled: String(state === "CANCELLED" ? sources - done : 0), reused: String(more.reused ?? 0),
    },
    created_s: NOW - (more.age ?? 3600), ended_s: state === "ACTIVE" ? 0 : NOW - (more.age ?? 3600) + (more.took ?? 900), etag: "1",
    spec_sha256: "ab".repeat(32),
    ...(state === "ACTIVE"
      ? { progress: { fraction: (done + 0.4) / sources, eta_s: more.eta ?? 754, text: "step 12/50, 9 iterations", running: "4", waiting: String(Math.max(0, live - 4)) } }
      : {}),
    ...(done && state !== "ACTIVE"
      ? { dataset: { name: `datasets/${uuid(n)}`, job: `jobs/${uuid(n)}`, title, sha256: "cd".repeat(32), bytes: "48211234", complete: done === sources, sources_done: String(done), sources: String(sources) } }
      : {}),
  };
}

export const JOBS = [
  job(1, "nankai", "DONE", 800, 800, { reused: 412, age: 7200, took: 1830 }),
  job(2, "nankai-burgers", "ACTIVE", 800, 233, { age: 1500, eta: 3725, priority: 5 }),
  job(3, "tohoku-afterslip", "FAILED", 120, 117, { failed: 3, age: 90000, owner: "grace", took: 4010 }),
  job(4, "strikeslip", "CANCELLED", 64, 12, { age: 180000 }),
  job(5, "two-faults", "ACTIVE", 16, 0, { age: 40, owner: "grace", eta: -1 }),
  job(6, HOSTILE, "DONE", 2, 2, { age: 260000, owner: HOSTILE }),
  job(7, "scenario-1944", "DONE", 2, 2, { age: 20000, took: 412 }),
];

export function items(name) {
  const of = JOBS.find((item) => item.name === name);
  if (!of) return null;
  const n = Number(of.counts.sources);
  const [done, failed, reused] = [Number(of.counts.done), Number(of.counts.failed), Number(of.counts.reused)];
  const list = [];
  for (let i = 0; i < n; ++i) {
    const state = i < done ? "DONE" : i < done + failed ? "FAILED" : of.state === "ACTIVE" ? "LIVE" : "CANCELLED";
    list.push({
      ordinal: String(i), label: of.title === HOSTILE ? `${HOSTILE}/${i}` : `p${i >> 1}/${i % 2 ? "strike_slip" : "dip_slip"}`,
      state, reused: i < reused, error: state === "FAILED" ? "NotConverged: residual 3.1e-6 after 500 iterations, wanted 1e-8" : "",
      verb: "solve", source: true, bytes: state === "DONE" ? "581233" : "0", sha256: "", content_key: "",
    });
  }
  list.push({ ordinal: String(n), label: "mesh", state: "DONE", reused: reused > 0, error: "", verb: "mesh", source: false, bytes: "88213377", sha256: "", content_key: "" });
  list.push({ ordinal: String(n + 1), label: "package", state: of.state === "ACTIVE" ? "LIVE" : "DONE", reused: false, error: "", verb: "package", source: false, bytes: "0", sha256: "", content_key: "" });
  return list;
}

/** Stations on land and patches on a curved interface that dips to the north-west, strike 250. */
export function map_of(n_stations, n_strike, n_dip, n_epochs, options = {}) {
  const next = random(7);
  const [lon0, lat0, strike] = [135.2, 32.9, (248 * Math.PI) / 180];
  const at = (s, d) => {
    const bend = 18 * Math.sin(s / 160);
    const [x, y] = [s * Math.sin(strike) + (d + bend) * Math.cos(strike), s * Math.cos(strike) - (d + bend) * Math.sin(strike)];
    return [lon0 + x / (111.2 * Math.cos((lat0 * Math.PI) / 180)), lat0 + y / 111.2, 1000 * (6 + 0.08 * d + 0.0011 * d * d)];
  };
  const [ds, dd] = [620 / n_strike, 170 / n_dip];
  const patches = [];
  for (let i = 0; i < n_strike; ++i) {
    for (let k = 0; k < n_dip; ++k) {
      const corners = [[i, k], [i + 1, k], [i + 1, k + 1], [i, k + 1]].map(([a, b]) => at(-310 + a * ds, b * dd));
      const [lon, lat, depth] = at(-310 + (i + 0.5) * ds, (k + 0.5) * dd);
      const id = `p${i * n_dip + k}`;
      const failed = options.failed?.includes(id);
      patches.push({
        id, lon_deg: lon, lat_deg: lat, depth_m: depth, strike_deg: 248, dip_deg: 10 + k,
        outline_lon_deg: corners.map((c) => c[0]), outline_lat_deg: corners.map((c) => c[1]), outline_depth_m: corners.map((c) => c[2]),
        sources: ["dip_slip", "strike_slip"].map((component, c) => ({
          index: 2 * (i * n_dip + k) + c, id: `${id}/${component}`, component, rake_deg: c ? 0 : 90,
          status: failed ? "failed" : "done", failure: failed ? "NotConverged: residual 3.1e-6 after 500 iterations" : "",
        })),
      });
    }
  }
  const stations = Array.from({ length: n_stations }, (_, i) => {
    const [lon, lat] = at(-330 + 660 * next(), 130 + 190 * next());
    return { id: i === 3 && options.hostile ? HOSTILE : `G${String(i).padStart(4, "0")}`, lon_deg: lon, lat_deg: lat, depth_m: 0 };
  });
  const corners = [[-600, -500], [600, -500], [600, 500], [-600, 500]];
  const turn = (-22 * Math.PI) / 180;
  const box = corners.map(([x, y]) => [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)]);
  return {
    title: options.title ?? "nankai", sha256: "cd".repeat(32), complete: !options.failed,
    status_counts: { done: 2 * patches.length - 2 * (options.failed?.length ?? 0), failed: 2 * (options.failed?.length ?? 0), missing: 0 },
    units: options.units ?? "m m-1", geographic: true,
    epochs_s: Array.from({ length: n_epochs }, (_, i) => 31557600 * 50 * (i / Math.max(1, n_epochs - 1)) ** 2),
    components: ["east", "north", "up"], stations, patches, events: options.events ?? [],
    projection: {
      lon_deg: lon0, lat_deg: lat0, azimuth_deg: 22, wkt: "",
      box_lon_deg: box.map(([x]) => lon0 + x / (111.2 * Math.cos((lat0 * Math.PI) / 180))), box_lat_deg: box.map(([, y]) => lat0 + y / 111.2),
    },
  };
}

/** Motion like that of a thrust: seaward and up above the patch, down behind it, more with time. */
export function motion(map, source, station, epoch) {
  const patch = map.patches.find((item) => item.sources.some((s) => s.id === source));
  const dip_slip = source.endsWith("dip_slip");
  const x = 111.2 * Math.cos((33 * Math.PI) / 180) * (station.lon_deg - patch.lon_deg);
  const y = 111.2 * (station.lat_deg - patch.lat_deg);
  const away = Math.hypot(x, y, patch.depth_m / 1000 + 12);
  const near = 0.5 / (1 + (away / 55) ** 2);
  const time = 1 + 0.9 * (1 - Math.exp(-map.epochs_s[epoch] / 31557600 / 12));
  const [u, v] = dip_slip ? [0.37, -0.93] : [0.93, 0.37];
  const behind = (-x * 0.37 + y * 0.93) / 70;
  return [near * u * time, near * v * time, near * (dip_slip ? 0.6 : 0.15) * (0.9 - behind) * time];
}

export function gpu(n, more = {}) {
  return {
    uuid: `GPU-${uuid(n + 500)}`, name: "Simulated GPU", utilisation_ratio: 0.9 - 0.1 * (n % 5), memory_used_bytes: String(40e9 + n * 1e9),
    memory_total_bytes: String(100e9), power_w: 500 + 10 * n, temperature_c: 58 + 3 * n, energy_j: 1e8, ecc_corrected: "0",
    ecc_uncorrected: "0", remapped_rows: { corrected: 0, uncorrected: 0, pending: false, failed: false }, xid_errors: "0", ...more,
  };
}

export function workers_of(count = 5) {
  const list = [];
  for (let i = 0; i < count; ++i) {
    const state = ["BUSY", "BUSY", "CORDONED", "IDLE", "NOT_READY"][i % 5];
    const gpus = i % 5 < 2 ? [gpu(2 * i), gpu(2 * i + 1)] : i % 5 === 2 ? [gpu(2 * i, { temperature_c: 88, xid_errors: "3", ecc_uncorrected: "2", remapped_rows: { corrected: 4, uncorrected: 1, pending: true, failed: false } })] : [];
    list.push({
      name: `workers/${uuid(1000 + i)}`, title: i === 3 ? HOSTILE : `node${String(11 + i)}`, host: `node${11 + i}.cluster`, version: i === 3 ? "0.0.9" : "0.1.0",
      ranks: 2, threads: 16, state, heartbeat_age_s: i === 4 ? 26 : 1.2, running: state === "BUSY" ? "4" : "0", gpus,
      text: state === "BUSY" ? "nankai-burgers: step 12/50, 9 iterations, residual 7.1e-9" : "",
      reason: state === "CORDONED" ? "GPU-000001f8 failed 3 times within an hour: Xid 79, GPU has fallen off the bus" : state === "NOT_READY" ? "no NVIDIA driver: libnvidia-ml.so.1 cannot be loaded" : "",
    });
  }
  return list;
}

export function history(list) {
  const next = random(3);
  const wave = (base, size) => Array.from({ length: 120 }, (_, i) => (i < 8 ? -1 : base + size * (Math.sin(i / 9) + 0.6 * next())));
  return list.flatMap((worker) =>
    worker.gpus.map((status) => ({
      status, worker: worker.name, host: worker.host, last_s: NOW, every_s: 30,
      utilisation_ratio: wave(0.75, 0.14), memory_used_ratio: wave(0.42, 0.01), power_w: wave(500, 60), temperature_c: wave(status.temperature_c - 4, 3),
      faults: worker.state === "CORDONED" ? [{ at_s: NOW - 300, reason: "Xid 79: GPU has fallen off the bus" }, { at_s: NOW - 1100, reason: "Xid 48: double bit ECC error" }] : [],
      ...(worker.state === "CORDONED" ? { cordon: { gpu_uuid: status.uuid, reason: "3 faults within an hour", since_s: NOW - 290, by: "" } } : {}),
    })),
  );
}

export function stats(list, more = {}) {
  const states = {};
  for (const worker of list) states[worker.state] = (states[worker.state] ?? 0) + 1;
  return {
    version: "0.1.0", tasks_blocked: "2", tasks_ready: "571", tasks_running: "8", tasks_held: "40", workers: String(list.length), uptime_s: 93784,
    fenced_completions: "0", paused: "", oldest_ready_age_s: 1494, sources_per_minute: 18.4, jobs_active: "2",
    rooms: [
      { what: "artifacts", folder: "/srv/kaname/artifacts", free_bytes: "1520000000000", total_bytes: "4000000000000", low_bytes: "10000000000", paused: false },
      { what: "database", folder: "/srv/kaname/postgres", free_bytes: "91000000000", total_bytes: "250000000000", low_bytes: "2000000000", paused: false },
    ],
    database: { version: "15.8 (Debian 15.8-0+deb12u1)", bytes: "823400000", live_tuples: "1804311", dead_tuples: "90412", oldest_xmin_age_s: 0.2, connections: "14", schema: "020_operations" },
    last_failures: [
      { at_s: NOW - 240, task_id: "77", label: "p58/dip_slip", worker: "node13", host: "node13.cluster", error: "DeviceFault: Xid 79: GPU has fallen off the bus", job: JOBS[1].name },
      { at_s: NOW - 5100, task_id: "61", label: HOSTILE, worker: HOSTILE, host: "node12", error: `NotConverged: ${HOSTILE}`, job: JOBS[2].name },
    ],
    workers_by_state: Object.entries(states).map(([state, n]) => ({ state, count: String(n) })),
    ...more,
  };
}

export const CAMPAIGNS = [
  {
    name: `campaigns/${uuid(90)}`, title: "viscosities", owner: "ada", state: "ACTIVE", priority: 0, reason: "",
    axes: [{ name: "viscosity", keys: ["structure.materials.mantle.viscosity"], values: ["1e18", "3e18", "1e19", "3e19"], unit: "Pa s", along: "" }, { name: "slab", keys: [], values: ["a", "b"], unit: "", along: "" }],
    members: { total: "8", waiting: "3", active: "2", done: "2", failed: "1", cancelled: "0", refused: "0" },
    sources: { sources: "480", done: "140", failed: "1", reused: "60" }, created_s: NOW - 8000, ended_s: 0, etag: "1", cost: { core_hours: 132, bytes: "4200000000" },
  },
  { name: `campaigns/${uuid(91)}`, title: "smoke", owner: "grace", state: "PAUSED", members: { total: "3", waiting: "3" }, sources: {}, created_s: NOW - 90000, ended_s: 0 },
];

export const MESH = {
  vertices: 212344, elements: 1204331, nodes: 1664213, dof: 4992639, fault_faces: 8842, min_edge_m: 1840, max_edge_m: 78120, min_dihedral_deg: 9.7,
  p001_min_dihedral_deg: 15.2, max_dihedral_deg: 163.2, dihedral_histogram_10deg: [4, 3210, 24122, 402113, 1211331, 1803122, 1402211, 902113, 512331, 402113, 220113, 112331, 60221, 24113, 6021, 1202, 33, 0],
  worst: [], watertight: true, open_faces: 0, crowded_faces: 0, folded_faces: 0, unused_vertices: 0, within_two_of_size: 0.983,
  size_ratio_histogram_half_octaves: [0, 12, 402, 24113, 302213, 612331, 240113, 24021, 1010, 4],
  interfaces: { faces: 40211, surfaces: [{ name: "free surface", is_fault: false, faces: 5120, mean: 2.5e-18, p99: 0, max: 4.1e-16, max_m: 1.33e-12 }, { name: "slab-top", is_fault: true, faces: 8842, mean: 0.012, p99: 0.061, max: 0.14, max_m: 312 }, { name: "moho", is_fault: false, faces: 31369, mean: 0.02, p99: 0.11, max: 0.42, max_m: 2810 }] },
  faults: [{ name: "slab-top", faces: 8842, area_m2: 1.2e11, fault_top_depth_m: 6000, bottom_depth_m: 52000, pieces: 1, split_nodes: 17402, rim_nodes: 710, orphan_nodes: 0, stuck_faces: 0, stray_faces: 0 }],
  text: "1204331 tetrahedra, 212344 vertices; watertight\nsmallest dihedral angle 9.7 degrees, 99.9 % above 15.2\n",
};
