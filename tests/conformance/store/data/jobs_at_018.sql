-- SPDX-License-Identifier: BSD-3-Clause
-- A database at migration 018, as the server of commit 959a6562 left it (pg_dump of its data): a job that
-- is finished after three faults of its GPU, one that is cancelled, one that waits after three faults more,
-- which cordoned the GPU, drains of a host and a GPU, a quota, tokens and the audit of all that.
INSERT INTO artifact (content_key, sha256, bytes, uri, created_at) VALUES ('9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829', '7a215b1699011335a73a770c416933d5ed118b00c2c42bee778266b1e33808f0', 325872, '', '2026-11-25 02:57:55.962948+00');
INSERT INTO artifact (content_key, sha256, bytes, uri, created_at) VALUES ('a7233a5f92df82447316e6cf1ead63bf09e772d06a8c05453731becb7f420c09', '587f51395085b5eba46f3c29f7e18dabbaa679493273a07c95e917319a02476f', 71613, '', '2026-11-25 02:58:17.858558+00');
INSERT INTO artifact (content_key, sha256, bytes, uri, created_at) VALUES ('b4b7365de0ddfb0d810c8d4c23964f2f4723e3f73cdb5d410959e21c70949278', 'eef98efdffa1782e0e409797cf673335501cf49a015f70ac327cdbf881cb73b0', 71613, '', '2026-11-25 02:58:17.858558+00');
INSERT INTO artifact (content_key, sha256, bytes, uri, created_at) VALUES ('a3c8f93cd21f5afb22bd49129256cfc2ea34389bde218cc979861b82f57fd286', '243014e85cbaeb22d95ca31c55e6d9f6270df9520ac46858187b2eb7b76e7e78', 52117, '', '2026-11-25 02:58:18.339115+00');
INSERT INTO artifact_store (one, store_id, place, noted_at) VALUES (true, '88667620-84ce-46b3-ace6-0ea2e2f56a5d', 'node1:/var/lib/kaname/artifacts', '2026-11-25 02:57:52.206829+00');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (1, 1, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:57:52.797998+00', '2026-11-25 02:57:55.962948+00', 'done', '7a215b1699011335a73a770c416933d5ed118b00c2c42bee778266b1e33808f0', '');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (2, 1, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:57:55.972156+00', '2026-11-25 02:57:56.003905+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (3, 1, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:57:55.972156+00', '2026-11-25 02:57:56.006944+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (2, 2, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:57:59.020134+00', '2026-11-25 02:57:59.170661+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (3, 2, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:57:59.020134+00', '2026-11-25 02:57:59.202765+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (2, 3, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:58:05.249371+00', '2026-11-25 02:58:05.415701+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (3, 3, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:58:05.249371+00', '2026-11-25 02:58:05.43851+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (2, 4, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:58:15.489851+00', '2026-11-25 02:58:17.858558+00', 'done', '587f51395085b5eba46f3c29f7e18dabbaa679493273a07c95e917319a02476f', '');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (3, 4, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:58:15.489851+00', '2026-11-25 02:58:17.858558+00', 'done', 'eef98efdffa1782e0e409797cf673335501cf49a015f70ac327cdbf881cb73b0', '');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (4, 1, '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:58:17.871675+00', '2026-11-25 02:58:18.339115+00', 'done', '243014e85cbaeb22d95ca31c55e6d9f6270df9520ac46858187b2eb7b76e7e78', '');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (6, 1, '290cb2fe-c8b5-41ac-b55c-2c17d8738156', '2026-11-25 02:58:19.655119+00', '2026-11-25 02:58:19.726566+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (5, 1, '290cb2fe-c8b5-41ac-b55c-2c17d8738156', '2026-11-25 02:58:19.655119+00', '2026-11-25 02:58:19.729886+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (6, 2, '290cb2fe-c8b5-41ac-b55c-2c17d8738156', '2026-11-25 02:58:22.769458+00', '2026-11-25 02:58:22.986862+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (5, 2, '290cb2fe-c8b5-41ac-b55c-2c17d8738156', '2026-11-25 02:58:22.769458+00', '2026-11-25 02:58:22.995935+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (6, 3, '290cb2fe-c8b5-41ac-b55c-2c17d8738156', '2026-11-25 02:58:29.033515+00', '2026-11-25 02:58:29.229987+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO attempt (task_id, fence, worker_id, started_at, ended_at, outcome, sha256, error) VALUES (5, 3, '290cb2fe-c8b5-41ac-b55c-2c17d8738156', '2026-11-25 02:58:29.033515+00', '2026-11-25 02:58:29.259347+00', 'failed', '', 'DeviceFault: spmv: cudaErrorECCUncorrectable: ECC');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (1, '2026-11-25 02:57:52.751011+00', 'cli', 'admin', 'CreateJob', 'jobs/b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 'ok');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (2, '2026-11-25 02:58:05.416741+00', 'agent', 'worker', 'CordonGpu', 'gpus/GPU-aaaaaaaa-0000-0000-0000-000000000000', 'ok');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (3, '2026-11-25 02:58:05.661107+00', 'cli', 'admin', 'UncordonGpu', 'gpus/GPU-aaaaaaaa-0000-0000-0000-000000000000', 'ok');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (4, '2026-11-25 02:58:18.910577+00', 'cli', 'admin', 'CreateJob', 'jobs/6337c772-293f-4670-a88e-219486301d5b', 'ok');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (5, '2026-11-25 02:58:19.257365+00', 'cli', 'admin', 'CreateJob', 'jobs/f37ab2a8-8deb-4977-b6f9-8008481db50e', 'ok');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (6, '2026-11-25 02:58:19.38819+00', 'cli', 'admin', 'CancelJob', 'jobs/f37ab2a8-8deb-4977-b6f9-8008481db50e', 'ok');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (7, '2026-11-25 02:58:34.166784+00', 'agent', 'worker', 'CordonGpu', 'gpus/GPU-aaaaaaaa-0000-0000-0000-000000000000', 'ok');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (8, '2026-11-25 02:58:34.582745+00', 'cli', 'admin', 'DrainWorker', 'hosts/n7', 'ok');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (9, '2026-11-25 02:58:34.733221+00', 'cli', 'admin', 'DrainWorker', 'gpus/GPU-bbbb', 'ok');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (10, '2026-11-25 02:58:35.06111+00', 'cli', 'admin', 'SetQuota', 'owners/ann', 'ok: queued 10, running unlimited, bytes unlimited, weight 2');
INSERT INTO audit (event_id, at, principal, role, method, resource, outcome) OVERRIDING SYSTEM VALUE VALUES (11, '2026-11-25 02:58:35.326616+00', 'cli', 'admin', 'MakeToken', 'tokens/829846d7e509 ann', 'ok, role user');
INSERT INTO claim_answer (claim_id, worker_id, claimed_at, tasks) VALUES ('adb0ac27-ba59-4f3c-a38c-8f3d8dd962c8', '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:57:52.797998+00', '[{"task_id" : 1, "fence" : 1, "attempt" : 1, "verb" : "mesh", "content_key" : "9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829", "compat_key" : "", "owner" : "cli", "label" : "mesh", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}]');
INSERT INTO claim_answer (claim_id, worker_id, claimed_at, tasks) VALUES ('52fa8f44-3581-4dde-ab24-ba6e01def386', '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:57:55.972156+00', '[{"task_id" : 2, "fence" : 1, "attempt" : 1, "verb" : "solve", "content_key" : "a7233a5f92df82447316e6cf1ead63bf09e772d06a8c05453731becb7f420c09", "compat_key" : "7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30", "owner" : "cli", "label" : "s00d00/rake_0", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}, {"task_id" : 3, "fence" : 1, "attempt" : 1, "verb" : "solve", "content_key" : "b4b7365de0ddfb0d810c8d4c23964f2f4723e3f73cdb5d410959e21c70949278", "compat_key" : "7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30", "owner" : "cli", "label" : "s00d00/rake_90", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}]');
INSERT INTO claim_answer (claim_id, worker_id, claimed_at, tasks) VALUES ('4d86b27d-da04-499d-baab-838de1a017fe', '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:57:59.020134+00', '[{"task_id" : 2, "fence" : 2, "attempt" : 2, "verb" : "solve", "content_key" : "a7233a5f92df82447316e6cf1ead63bf09e772d06a8c05453731becb7f420c09", "compat_key" : "7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30", "owner" : "cli", "label" : "s00d00/rake_0", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}, {"task_id" : 3, "fence" : 2, "attempt" : 2, "verb" : "solve", "content_key" : "b4b7365de0ddfb0d810c8d4c23964f2f4723e3f73cdb5d410959e21c70949278", "compat_key" : "7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30", "owner" : "cli", "label" : "s00d00/rake_90", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}]');
INSERT INTO claim_answer (claim_id, worker_id, claimed_at, tasks) VALUES ('e4fad9fa-7745-4bbd-9348-b45f29f08e21', '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:58:05.249371+00', '[{"task_id" : 2, "fence" : 3, "attempt" : 3, "verb" : "solve", "content_key" : "a7233a5f92df82447316e6cf1ead63bf09e772d06a8c05453731becb7f420c09", "compat_key" : "7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30", "owner" : "cli", "label" : "s00d00/rake_0", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}, {"task_id" : 3, "fence" : 3, "attempt" : 3, "verb" : "solve", "content_key" : "b4b7365de0ddfb0d810c8d4c23964f2f4723e3f73cdb5d410959e21c70949278", "compat_key" : "7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30", "owner" : "cli", "label" : "s00d00/rake_90", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}]');
INSERT INTO claim_answer (claim_id, worker_id, claimed_at, tasks) VALUES ('beb573d3-030c-42bd-956c-4a64b31bc3a7', '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:58:15.489851+00', '[{"task_id" : 2, "fence" : 4, "attempt" : 4, "verb" : "solve", "content_key" : "a7233a5f92df82447316e6cf1ead63bf09e772d06a8c05453731becb7f420c09", "compat_key" : "7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30", "owner" : "cli", "label" : "s00d00/rake_0", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}, {"task_id" : 3, "fence" : 4, "attempt" : 4, "verb" : "solve", "content_key" : "b4b7365de0ddfb0d810c8d4c23964f2f4723e3f73cdb5d410959e21c70949278", "compat_key" : "7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30", "owner" : "cli", "label" : "s00d00/rake_90", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}]');
INSERT INTO claim_answer (claim_id, worker_id, claimed_at, tasks) VALUES ('4d7b6102-a9c5-4536-abf0-7a84e44c4836', '35c149b4-3b5c-475e-8b92-97374285e230', '2026-11-25 02:58:17.871675+00', '[{"task_id" : 4, "fence" : 1, "attempt" : 1, "verb" : "package", "content_key" : "a3c8f93cd21f5afb22bd49129256cfc2ea34389bde218cc979861b82f57fd286", "compat_key" : "", "owner" : "cli", "label" : "package", "payload" : "2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a"}]');
INSERT INTO claim_answer (claim_id, worker_id, claimed_at, tasks) VALUES ('047b0c44-83d6-4700-8023-59628b1a614b', '290cb2fe-c8b5-41ac-b55c-2c17d8738156', '2026-11-25 02:58:19.655119+00', '[{"task_id" : 6, "fence" : 1, "attempt" : 1, "verb" : "solve", "content_key" : "510583923253393a56256bbd8839d6ef1c90d5e4b0aa2797210357e04e31797a", "compat_key" : "c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0", "owner" : "cli", "label" : "s00d00/rake_0", "payload" : "bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae"}, {"task_id" : 5, "fence" : 1, "attempt" : 1, "verb" : "solve", "content_key" : "1ecb6f404e0f0795f1252c8a717d92955a8647717886749be215ba411495aa4d", "compat_key" : "c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0", "owner" : "cli", "label" : "s00d00/rake_90", "payload" : "bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae"}]');
INSERT INTO claim_answer (claim_id, worker_id, claimed_at, tasks) VALUES ('dbd040f8-131e-47ee-b2ea-d664f5fa78da', '290cb2fe-c8b5-41ac-b55c-2c17d8738156', '2026-11-25 02:58:22.769458+00', '[{"task_id" : 6, "fence" : 2, "attempt" : 2, "verb" : "solve", "content_key" : "510583923253393a56256bbd8839d6ef1c90d5e4b0aa2797210357e04e31797a", "compat_key" : "c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0", "owner" : "cli", "label" : "s00d00/rake_0", "payload" : "bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae"}, {"task_id" : 5, "fence" : 2, "attempt" : 2, "verb" : "solve", "content_key" : "1ecb6f404e0f0795f1252c8a717d92955a8647717886749be215ba411495aa4d", "compat_key" : "c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0", "owner" : "cli", "label" : "s00d00/rake_90", "payload" : "bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae"}]');
INSERT INTO claim_answer (claim_id, worker_id, claimed_at, tasks) VALUES ('8cdcea8d-a6db-4d43-8f46-5bf09f8731cd', '290cb2fe-c8b5-41ac-b55c-2c17d8738156', '2026-11-25 02:58:29.033515+00', '[{"task_id" : 6, "fence" : 3, "attempt" : 3, "verb" : "solve", "content_key" : "510583923253393a56256bbd8839d6ef1c90d5e4b0aa2797210357e04e31797a", "compat_key" : "c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0", "owner" : "cli", "label" : "s00d00/rake_0", "payload" : "bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae"}, {"task_id" : 5, "fence" : 3, "attempt" : 3, "verb" : "solve", "content_key" : "1ecb6f404e0f0795f1252c8a717d92955a8647717886749be215ba411495aa4d", "compat_key" : "c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0", "owner" : "cli", "label" : "s00d00/rake_90", "payload" : "bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae"}]');
INSERT INTO job (job_id, "position", owner, name, spec, priority, state, n_total, n_done, n_failed, n_cancelled, n_live, n_sources, n_sources_done, n_sources_failed, n_sources_reused, event_seq, created_at, ended_at, estimate, campaign_id, member) OVERRIDING SYSTEM VALUE VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 3, 'cli', 'third', '{
 "schema": "kaname.v1.GreensBatch",
 "name": "third",
 "description": "Thrust on a dipping rectangle above a Maxwell half-space",
 "region": {
  "centre_lon_deg": 135,
  "centre_lat_deg": 34,
  "size_east_m": 160000,
  "size_north_m": 160000,
  "depth_m": 80000
 },
 "structure": {
  "materials": [
   {
    "name": "crust",
    "lambda_pa": 30000000000,
    "mu_pa": 30000000000
   },
   {
    "name": "mantle",
    "lambda_pa": 60000000000,
    "mu_pa": 60000000000,
    "viscosity_pa_s": 3e+19
   }
  ],
  "layers": [
   {
    "material": "crust",
    "bottom_depth_m": 20000
   },
   {
    "material": "mantle"
   }
  ]
 },
 "fault": {
  "plane": {
   "centre_lon_deg": 135,
   "centre_lat_deg": 34,
   "top_depth_m": 5000,
   "strike_deg": 0,
   "dip_deg": 45,
   "length_m": 20000,
   "width_m": 10000,
   "rake_deg": [
    0,
    90
   ],
   "n_strike": 1,
   "n_dip": 1
  }
 },
 "stations": {
  "list": [
   {
    "id": "W10",
    "lon_deg": 134.89,
    "lat_deg": 34
   },
   {
    "id": "E20",
    "lon_deg": 135.22,
    "lat_deg": 34.05
   },
   {
    "id": "N25",
    "lon_deg": 135.02,
    "lat_deg": 34.225
   }
  ]
 },
 "mesh": {
  "size_at_fault_m": 5000,
  "size_far_m": 40000,
  "growth": 0.6,
  "layers_above": 5,
  "layers_below": 8
 },
 "boundaries": {
  "west": {
   "kind": "KIND_FIXED"
  },
  "east": {
   "kind": "KIND_FIXED"
  },
  "south": {
   "kind": "KIND_FIXED"
  },
  "north": {
   "kind": "KIND_FIXED"
  },
  "bottom": {
   "kind": "KIND_FIXED"
  },
  "top": {
   "kind": "KIND_FREE"
  }
 },
 "time": {
  "step_s": 31557600,
  "end_s": 94672800,
  "epochs_s": [
   0,
   31557600,
   94672800
  ],
  "alpha": 0.5,
  "method": "auto",
  "spectrum_tolerance": 1e-05
 },
 "solver": {
  "method": "default",
  "tolerance": 1e-08,
  "max_iterations": 500,
  "predictor": "projection",
  "element": "auto"
 },
 "output": {
  "snap_tolerance_m": 10000,
  "surface": "auto"
 },
 "slip_history": {
  "kind": "step"
 },
 "gravity": "none"
}
', 0, 'cancelled', 4, 1, 0, 3, 0, 2, 0, 0, 0, 6, '2026-11-25 02:58:19.257365+00', '2026-11-25 02:58:19.38819+00', '{"stages":[{"verb":"solve","once_s":0.47142463103800342,"each_s":0.69537926864719235,"n_tasks":2,"n_packs":1},{"verb":"package","once_s":0,"each_s":0.20727479723425979,"n_tasks":1,"n_packs":1}],"spread":1.4999999999999998,"mesh_s":0,"setup_s":0,"pack_s":0,"package_s":0,"n_sources":0,"n_packs":0}', '', 0);
INSERT INTO job (job_id, "position", owner, name, spec, priority, state, n_total, n_done, n_failed, n_cancelled, n_live, n_sources, n_sources_done, n_sources_failed, n_sources_reused, event_seq, created_at, ended_at, estimate, campaign_id, member) OVERRIDING SYSTEM VALUE VALUES ('6337c772-293f-4670-a88e-219486301d5b', 2, 'cli', 'tiny', '{
 "schema": "kaname.v1.GreensBatch",
 "name": "tiny",
 "description": "Thrust on a dipping rectangle above a Maxwell half-space",
 "region": {
  "centre_lon_deg": 135,
  "centre_lat_deg": 34,
  "size_east_m": 160000,
  "size_north_m": 160000,
  "depth_m": 80000
 },
 "structure": {
  "materials": [
   {
    "name": "crust",
    "lambda_pa": 30000000000,
    "mu_pa": 30000000000
   },
   {
    "name": "mantle",
    "lambda_pa": 60000000000,
    "mu_pa": 60000000000,
    "viscosity_pa_s": 2e+19
   }
  ],
  "layers": [
   {
    "material": "crust",
    "bottom_depth_m": 20000
   },
   {
    "material": "mantle"
   }
  ]
 },
 "fault": {
  "plane": {
   "centre_lon_deg": 135,
   "centre_lat_deg": 34,
   "top_depth_m": 5000,
   "strike_deg": 0,
   "dip_deg": 45,
   "length_m": 20000,
   "width_m": 10000,
   "rake_deg": [
    0,
    90
   ],
   "n_strike": 1,
   "n_dip": 1
  }
 },
 "stations": {
  "list": [
   {
    "id": "W10",
    "lon_deg": 134.89,
    "lat_deg": 34
   },
   {
    "id": "E20",
    "lon_deg": 135.22,
    "lat_deg": 34.05
   },
   {
    "id": "N25",
    "lon_deg": 135.02,
    "lat_deg": 34.225
   }
  ]
 },
 "mesh": {
  "size_at_fault_m": 5000,
  "size_far_m": 40000,
  "growth": 0.6,
  "layers_above": 5,
  "layers_below": 8
 },
 "boundaries": {
  "west": {
   "kind": "KIND_FIXED"
  },
  "east": {
   "kind": "KIND_FIXED"
  },
  "south": {
   "kind": "KIND_FIXED"
  },
  "north": {
   "kind": "KIND_FIXED"
  },
  "bottom": {
   "kind": "KIND_FIXED"
  },
  "top": {
   "kind": "KIND_FREE"
  }
 },
 "time": {
  "step_s": 31557600,
  "end_s": 94672800,
  "epochs_s": [
   0,
   31557600,
   94672800
  ],
  "alpha": 0.5,
  "method": "auto",
  "spectrum_tolerance": 1e-05
 },
 "solver": {
  "method": "default",
  "tolerance": 1e-08,
  "max_iterations": 500,
  "predictor": "projection",
  "element": "auto"
 },
 "output": {
  "snap_tolerance_m": 10000,
  "surface": "auto"
 },
 "slip_history": {
  "kind": "step"
 },
 "gravity": "none"
}
', 0, 'active', 4, 1, 0, 0, 3, 2, 0, 0, 0, 2, '2026-11-25 02:58:18.910577+00', NULL, '{"stages":[{"verb":"solve","once_s":0.47142463103800342,"each_s":0.69537926864719235,"n_tasks":2,"n_packs":1},{"verb":"package","once_s":0,"each_s":0.20727479723425979,"n_tasks":1,"n_packs":1}],"spread":1.4999999999999998,"mesh_s":0,"setup_s":0,"pack_s":0,"package_s":0,"n_sources":0,"n_packs":0}', '', 0);
INSERT INTO job (job_id, "position", owner, name, spec, priority, state, n_total, n_done, n_failed, n_cancelled, n_live, n_sources, n_sources_done, n_sources_failed, n_sources_reused, event_seq, created_at, ended_at, estimate, campaign_id, member) OVERRIDING SYSTEM VALUE VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 1, 'cli', 'tiny', '{
 "schema": "kaname.v1.GreensBatch",
 "name": "tiny",
 "description": "Thrust on a dipping rectangle above a Maxwell half-space",
 "region": {
  "centre_lon_deg": 135,
  "centre_lat_deg": 34,
  "size_east_m": 160000,
  "size_north_m": 160000,
  "depth_m": 80000
 },
 "structure": {
  "materials": [
   {
    "name": "crust",
    "lambda_pa": 30000000000,
    "mu_pa": 30000000000
   },
   {
    "name": "mantle",
    "lambda_pa": 60000000000,
    "mu_pa": 60000000000,
    "viscosity_pa_s": 1e+19
   }
  ],
  "layers": [
   {
    "material": "crust",
    "bottom_depth_m": 20000
   },
   {
    "material": "mantle"
   }
  ]
 },
 "fault": {
  "plane": {
   "centre_lon_deg": 135,
   "centre_lat_deg": 34,
   "top_depth_m": 5000,
   "strike_deg": 0,
   "dip_deg": 45,
   "length_m": 20000,
   "width_m": 10000,
   "rake_deg": [
    0,
    90
   ],
   "n_strike": 1,
   "n_dip": 1
  }
 },
 "stations": {
  "list": [
   {
    "id": "W10",
    "lon_deg": 134.89,
    "lat_deg": 34
   },
   {
    "id": "E20",
    "lon_deg": 135.22,
    "lat_deg": 34.05
   },
   {
    "id": "N25",
    "lon_deg": 135.02,
    "lat_deg": 34.225
   }
  ]
 },
 "mesh": {
  "size_at_fault_m": 5000,
  "size_far_m": 40000,
  "growth": 0.6,
  "layers_above": 5,
  "layers_below": 8
 },
 "boundaries": {
  "west": {
   "kind": "KIND_FIXED"
  },
  "east": {
   "kind": "KIND_FIXED"
  },
  "south": {
   "kind": "KIND_FIXED"
  },
  "north": {
   "kind": "KIND_FIXED"
  },
  "bottom": {
   "kind": "KIND_FIXED"
  },
  "top": {
   "kind": "KIND_FREE"
  }
 },
 "time": {
  "step_s": 31557600,
  "end_s": 94672800,
  "epochs_s": [
   0,
   31557600,
   94672800
  ],
  "alpha": 0.5,
  "method": "auto",
  "spectrum_tolerance": 1e-05
 },
 "solver": {
  "method": "default",
  "tolerance": 1e-08,
  "max_iterations": 500,
  "predictor": "projection",
  "element": "auto"
 },
 "output": {
  "snap_tolerance_m": 10000,
  "surface": "auto"
 },
 "slip_history": {
  "kind": "step"
 },
 "gravity": "none"
}
', 0, 'done', 4, 4, 0, 0, 0, 2, 2, 0, 0, 6, '2026-11-25 02:57:52.751011+00', '2026-11-25 02:58:18.339115+00', '{"stages":[{"verb":"mesh","once_s":0,"each_s":0.40873954268791834,"n_tasks":1,"n_packs":1},{"verb":"solve","once_s":0.47142463103800342,"each_s":0.69537926864719235,"n_tasks":2,"n_packs":1},{"verb":"package","once_s":0,"each_s":0.20727479723425979,"n_tasks":1,"n_packs":1}],"spread":1.4999999999999998,"mesh_s":0,"setup_s":0,"pack_s":0,"package_s":0,"n_sources":0,"n_packs":0}', '', 0);
INSERT INTO dataset (job_id, "position", owner, title, campaign_id, member, result, described, physics, faults, structure_sha256, stations, n_stations, place, n_sources, tags, pinned, made_at, sha256, bytes, n_missing) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 1, 'cli', 'tiny', '', 0, 3, true, 'viscoelastic', '{plane}', '24e9218c542166a88b120d947a2b09c7692545ce548052d5564934771ac3d5b6', '{E20,N25,W10}', 3, '(135.22000000000003,34.225),(134.89,33.91006783940813)', 2, '{}', false, '2026-11-25 02:58:18.339115+00', '243014e85cbaeb22d95ca31c55e6d9f6270df9520ac46858187b2eb7b76e7e78', 52117, 0);
INSERT INTO dataset (job_id, "position", owner, title, campaign_id, member, result, described, physics, faults, structure_sha256, stations, n_stations, place, n_sources, tags, pinned, made_at, sha256, bytes, n_missing) VALUES ('6337c772-293f-4670-a88e-219486301d5b', 2, 'cli', 'tiny', '', 0, 3, true, 'viscoelastic', '{plane}', 'd0fcfdb35979604d003dde362ecbc24e64c0637b8a6022f1368cbfff7bd08035', '{E20,N25,W10}', 3, '(135.22000000000003,34.225),(134.89,33.91006783940813)', 2, '{}', false, NULL, '', 0, 0);
INSERT INTO dataset (job_id, "position", owner, title, campaign_id, member, result, described, physics, faults, structure_sha256, stations, n_stations, place, n_sources, tags, pinned, made_at, sha256, bytes, n_missing) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 3, 'cli', 'third', '', 0, 3, true, 'viscoelastic', '{plane}', '7dfabf7a2cb353866e8822b28498aeb682723ee57f0010868a4ec055bcddbb3e', '{E20,N25,W10}', 3, '(135.22000000000003,34.225),(134.89,33.91006783940813)', 2, '{}', false, NULL, '', 0, 0);
INSERT INTO drain (kind, value, host, since) VALUES ('host', 'n7', 'n7', '2026-11-25 02:58:34.582745+00');
INSERT INTO drain (kind, value, host, since) VALUES ('gpu', 'GPU-bbbb', '', '2026-11-25 02:58:34.733221+00');
INSERT INTO gpu_cordon (gpu_uuid, reason, since) VALUES ('GPU-aaaaaaaa-0000-0000-0000-000000000000', 'GPU-aaaaaaaa-0000-0000-0000-000000000000: 3 faults within 60 min, the last: spmv: cudaErrorECCUncorrectable: ECC', '2026-11-25 02:58:34.166784+00');
INSERT INTO gpu_fault (fault_id, gpu_uuid, worker_id, reason, told_at) VALUES ('2a0efb8c-b773-4639-9987-52c5979db18e', 'GPU-aaaaaaaa-0000-0000-0000-000000000000', '290cb2fe-c8b5-41ac-b55c-2c17d8738156', 'spmv: cudaErrorECCUncorrectable: ECC', '2026-11-25 02:58:22.832213+00');
INSERT INTO gpu_fault (fault_id, gpu_uuid, worker_id, reason, told_at) VALUES ('877937c4-c789-4abb-ac8d-486ef057cbde', 'GPU-aaaaaaaa-0000-0000-0000-000000000000', '290cb2fe-c8b5-41ac-b55c-2c17d8738156', 'spmv: cudaErrorECCUncorrectable: ECC', '2026-11-25 02:58:27.850641+00');
INSERT INTO gpu_fault (fault_id, gpu_uuid, worker_id, reason, told_at) VALUES ('29b0e702-8e03-453f-bf67-e78077984ed6', 'GPU-aaaaaaaa-0000-0000-0000-000000000000', '290cb2fe-c8b5-41ac-b55c-2c17d8738156', 'spmv: cudaErrorECCUncorrectable: ECC', '2026-11-25 02:58:34.166784+00');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 1, 'submitted', -1, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 2, 'item_done', 2, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 3, 'item_done', 0, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 4, 'item_done', 1, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 6, 'job_ended', -1, 'done');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 5, 'item_done', 3, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('6337c772-293f-4670-a88e-219486301d5b', 1, 'submitted', -1, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('6337c772-293f-4670-a88e-219486301d5b', 2, 'item_done', 2, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 1, 'submitted', -1, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 2, 'item_done', 2, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 6, 'job_ended', -1, 'cancelled');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 3, 'item_cancelled', 0, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 4, 'item_cancelled', 1, '');
INSERT INTO job_event (job_id, seq, type, ordinal, detail) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 5, 'item_cancelled', 3, '');
INSERT INTO job_file (sha256, job_id) VALUES ('2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a', 'b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0');
INSERT INTO job_file (sha256, job_id) VALUES ('bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae', '6337c772-293f-4670-a88e-219486301d5b');
INSERT INTO job_file (sha256, job_id) VALUES ('e5d81957abe4c695d0befcede0d0e66b0ede9f4fa0c9b8ead77612caa6af950e', 'f37ab2a8-8deb-4977-b6f9-8008481db50e');
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 2, '9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829', 'mesh', '', 'cpu', 'mesh', '2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a', '{}', 'done', false, '', '7a215b1699011335a73a770c416933d5ed118b00c2c42bee778266b1e33808f0', 325872, 0, '{}', false, 0);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 0, 'a7233a5f92df82447316e6cf1ead63bf09e772d06a8c05453731becb7f420c09', 'solve', '7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30', 'solve', 's00d00/rake_0', '2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a', '{9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829}', 'done', false, '', '587f51395085b5eba46f3c29f7e18dabbaa679493273a07c95e917319a02476f', 71613, 0, '{}', true, 1);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 1, 'b4b7365de0ddfb0d810c8d4c23964f2f4723e3f73cdb5d410959e21c70949278', 'solve', '7aef6a9085207c3986c27ce1ecb41aaff44966a30693b1a8925fcfb406a63f30', 'solve', 's00d00/rake_90', '2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a', '{9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829}', 'done', false, '', 'eef98efdffa1782e0e409797cf673335501cf49a015f70ac327cdbf881cb73b0', 71613, 0, '{}', true, 1);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 3, 'a3c8f93cd21f5afb22bd49129256cfc2ea34389bde218cc979861b82f57fd286', 'package', '', 'cpu', 'package', '2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a', '{9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829}', 'done', false, '', '243014e85cbaeb22d95ca31c55e6d9f6270df9520ac46858187b2eb7b76e7e78', 52117, 0, '{a7233a5f92df82447316e6cf1ead63bf09e772d06a8c05453731becb7f420c09,b4b7365de0ddfb0d810c8d4c23964f2f4723e3f73cdb5d410959e21c70949278}', false, 2);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('6337c772-293f-4670-a88e-219486301d5b', 0, '510583923253393a56256bbd8839d6ef1c90d5e4b0aa2797210357e04e31797a', 'solve', 'c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0', 'solve', 's00d00/rake_0', 'bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae', '{9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829}', 'live', false, '', '', 0, 0, '{}', true, 1);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('6337c772-293f-4670-a88e-219486301d5b', 1, '1ecb6f404e0f0795f1252c8a717d92955a8647717886749be215ba411495aa4d', 'solve', 'c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0', 'solve', 's00d00/rake_90', 'bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae', '{9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829}', 'live', false, '', '', 0, 0, '{}', true, 1);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('6337c772-293f-4670-a88e-219486301d5b', 3, '6e035117afbbb9b5ff2c1a9b7e477bd871abb2bc8dfafe9f957251770b43450e', 'package', '', 'cpu', 'package', 'bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae', '{9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829}', 'live', false, '', '', 0, 0, '{510583923253393a56256bbd8839d6ef1c90d5e4b0aa2797210357e04e31797a,1ecb6f404e0f0795f1252c8a717d92955a8647717886749be215ba411495aa4d}', false, 2);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('6337c772-293f-4670-a88e-219486301d5b', 2, '9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829', 'mesh', '', 'cpu', 'mesh', 'bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae', '{}', 'done', true, '', '7a215b1699011335a73a770c416933d5ed118b00c2c42bee778266b1e33808f0', 325872, 0, '{}', false, 0);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 2, '9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829', 'mesh', '', 'cpu', 'mesh', 'e5d81957abe4c695d0befcede0d0e66b0ede9f4fa0c9b8ead77612caa6af950e', '{}', 'done', true, '', '7a215b1699011335a73a770c416933d5ed118b00c2c42bee778266b1e33808f0', 325872, 0, '{}', false, 0);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 0, 'ef51fc4cd8249294fce11effc1463007e4de35f4b15223b8067a230ebe654d43', 'solve', '7157ce2d9a56ea05a5349578da128689f2fd4441d223056826ff523298a5e1c8', 'solve', 's00d00/rake_0', 'e5d81957abe4c695d0befcede0d0e66b0ede9f4fa0c9b8ead77612caa6af950e', '{9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829}', 'cancelled', false, '', '', 0, 0, '{}', true, 1);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 1, 'd911b1c03ca42db8357d676d4f54246ab2430d24ebe70754d90c924eab09bc9f', 'solve', '7157ce2d9a56ea05a5349578da128689f2fd4441d223056826ff523298a5e1c8', 'solve', 's00d00/rake_90', 'e5d81957abe4c695d0befcede0d0e66b0ede9f4fa0c9b8ead77612caa6af950e', '{9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829}', 'cancelled', false, '', '', 0, 0, '{}', true, 1);
INSERT INTO job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs, state, reused, error, sha256, bytes, n_missing, gathers, source, level) VALUES ('f37ab2a8-8deb-4977-b6f9-8008481db50e', 3, 'b317d4921e420633922ca4e4cc0b7b37c2b3a217d6ca0a6d6f97c35fc2036a7c', 'package', '', 'cpu', 'package', 'e5d81957abe4c695d0befcede0d0e66b0ede9f4fa0c9b8ead77612caa6af950e', '{9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829}', 'cancelled', false, '', '', 0, 0, '{ef51fc4cd8249294fce11effc1463007e4de35f4b15223b8067a230ebe654d43,d911b1c03ca42db8357d676d4f54246ab2430d24ebe70754d90c924eab09bc9f}', false, 2);
INSERT INTO loose_file (sha256, since) VALUES ('2143fa565d37c1534c00ae407d18ec01c6252b9dd59c281f83d1487e7e32286a', '2026-11-25 02:57:52.751011+00');
INSERT INTO loose_file (sha256, since) VALUES ('7a215b1699011335a73a770c416933d5ed118b00c2c42bee778266b1e33808f0', '2026-11-25 02:57:55.96082+00');
INSERT INTO loose_file (sha256, since) VALUES ('587f51395085b5eba46f3c29f7e18dabbaa679493273a07c95e917319a02476f', '2026-11-25 02:58:17.790647+00');
INSERT INTO loose_file (sha256, since) VALUES ('eef98efdffa1782e0e409797cf673335501cf49a015f70ac327cdbf881cb73b0', '2026-11-25 02:58:17.834687+00');
INSERT INTO loose_file (sha256, since) VALUES ('243014e85cbaeb22d95ca31c55e6d9f6270df9520ac46858187b2eb7b76e7e78', '2026-11-25 02:58:18.330671+00');
INSERT INTO loose_file (sha256, since) VALUES ('bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae', '2026-11-25 02:58:18.910577+00');
INSERT INTO loose_file (sha256, since) VALUES ('e5d81957abe4c695d0befcede0d0e66b0ede9f4fa0c9b8ead77612caa6af950e', '2026-11-25 02:58:19.257365+00');
INSERT INTO owner_quota (owner, queued, running, bytes, weight) VALUES ('ann', 10, NULL, NULL, 2);
INSERT INTO request (principal, request_id, body_sha256, job_id, n_created, n_joined, n_cached, known_since) VALUES ('cli', 'cde5b8a3-4a49-4a8b-a5d7-b855023d9db4', '2eb909e233d41a3e5cb0786c39e6e5ec60d0dc99d449ce6c8681c6610d7b48b4', 'b1cf47ea-f73c-4dd7-9862-b875e9e4d2c0', 4, 0, 0, '2026-11-25 02:57:52.751011+00');
INSERT INTO request (principal, request_id, body_sha256, job_id, n_created, n_joined, n_cached, known_since) VALUES ('cli', '7992620c-e8cf-488c-9e45-d22f024e4694', '393e8e83b9393a961ecba82af38587a083c79f5394830577cdc4f20b6e0c3afb', '6337c772-293f-4670-a88e-219486301d5b', 3, 0, 1, '2026-11-25 02:58:18.910577+00');
INSERT INTO request (principal, request_id, body_sha256, job_id, n_created, n_joined, n_cached, known_since) VALUES ('cli', '66a45ca1-0391-426b-af10-0448e82775ac', '0642976d644931133076a6ba0ecb359592a1e29d8fcb39052d505390297fb774', 'f37ab2a8-8deb-4977-b6f9-8008481db50e', 3, 0, 1, '2026-11-25 02:58:19.257365+00');
INSERT INTO result_upload (token_id, sha256, put_at) VALUES ('528f48e0b290', '7a215b1699011335a73a770c416933d5ed118b00c2c42bee778266b1e33808f0', '2026-11-25 02:57:55.96082+00');
INSERT INTO result_upload (token_id, sha256, put_at) VALUES ('528f48e0b290', '587f51395085b5eba46f3c29f7e18dabbaa679493273a07c95e917319a02476f', '2026-11-25 02:58:17.790647+00');
INSERT INTO result_upload (token_id, sha256, put_at) VALUES ('528f48e0b290', 'eef98efdffa1782e0e409797cf673335501cf49a015f70ac327cdbf881cb73b0', '2026-11-25 02:58:17.834687+00');
INSERT INTO result_upload (token_id, sha256, put_at) VALUES ('528f48e0b290', '243014e85cbaeb22d95ca31c55e6d9f6270df9520ac46858187b2eb7b76e7e78', '2026-11-25 02:58:18.330671+00');
INSERT INTO task (task_id, content_key, verb, owner, compat_key, pool, label, payload, state, priority, run_at, ordinal, attempt, crash_count, fence, worker_id, absent, checkpoint_sha256, checkpoint_bytes, checkpoint_step, missing, refunds, level, gathers, hold, campaign_id, member) OVERRIDING SYSTEM VALUE VALUES (5, '1ecb6f404e0f0795f1252c8a717d92955a8647717886749be215ba411495aa4d', 'solve', 'cli', 'c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0', 'solve', 's00d00/rake_90', 'bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae', 'ready', 0, '2026-11-25 02:58:38.449347+00', 1, 3, 0, 3, NULL, 0, '', 0, 0, '{}', 0, 1, false, false, '', 0);
INSERT INTO task (task_id, content_key, verb, owner, compat_key, pool, label, payload, state, priority, run_at, ordinal, attempt, crash_count, fence, worker_id, absent, checkpoint_sha256, checkpoint_bytes, checkpoint_step, missing, refunds, level, gathers, hold, campaign_id, member) OVERRIDING SYSTEM VALUE VALUES (7, '6e035117afbbb9b5ff2c1a9b7e477bd871abb2bc8dfafe9f957251770b43450e', 'package', 'cli', '', 'cpu', 'package', 'bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae', 'blocked', 0, '2026-11-25 02:58:18.910577+00', 3, 0, 0, 0, NULL, 0, '', 0, 0, '{}', 0, 2, true, false, '', 0);
INSERT INTO task (task_id, content_key, verb, owner, compat_key, pool, label, payload, state, priority, run_at, ordinal, attempt, crash_count, fence, worker_id, absent, checkpoint_sha256, checkpoint_bytes, checkpoint_step, missing, refunds, level, gathers, hold, campaign_id, member) OVERRIDING SYSTEM VALUE VALUES (6, '510583923253393a56256bbd8839d6ef1c90d5e4b0aa2797210357e04e31797a', 'solve', 'cli', 'c8f929928f697339787da700828431585048e117cd76ab4db12dddd2e5aa28b0', 'solve', 's00d00/rake_0', 'bb4bb3a9d07b16b33e24d22992b6fb8b804ad95412eeabf6d27c302b84292bae', 'ready', 0, '2026-11-25 02:58:38.257987+00', 0, 3, 0, 3, NULL, 0, '', 0, 0, '{}', 0, 1, false, false, '', 0);
INSERT INTO task_done (task_id, content_key, state, ended_at) VALUES (1, '9d575e37de15829a0ac6a328b149891a41d9e1c83d47e8ce06673abb30926829', 'done', '2026-11-25 02:57:55.962948+00');
INSERT INTO task_done (task_id, content_key, state, ended_at) VALUES (2, 'a7233a5f92df82447316e6cf1ead63bf09e772d06a8c05453731becb7f420c09', 'done', '2026-11-25 02:58:17.858558+00');
INSERT INTO task_done (task_id, content_key, state, ended_at) VALUES (3, 'b4b7365de0ddfb0d810c8d4c23964f2f4723e3f73cdb5d410959e21c70949278', 'done', '2026-11-25 02:58:17.858558+00');
INSERT INTO task_done (task_id, content_key, state, ended_at) VALUES (4, 'a3c8f93cd21f5afb22bd49129256cfc2ea34389bde218cc979861b82f57fd286', 'done', '2026-11-25 02:58:18.339115+00');
INSERT INTO task_done (task_id, content_key, state, ended_at) VALUES (10, 'b317d4921e420633922ca4e4cc0b7b37c2b3a217d6ca0a6d6f97c35fc2036a7c', 'cancelled', '2026-11-25 02:58:19.38819+00');
INSERT INTO task_done (task_id, content_key, state, ended_at) VALUES (8, 'd911b1c03ca42db8357d676d4f54246ab2430d24ebe70754d90c924eab09bc9f', 'cancelled', '2026-11-25 02:58:19.38819+00');
INSERT INTO task_done (task_id, content_key, state, ended_at) VALUES (9, 'ef51fc4cd8249294fce11effc1463007e4de35f4b15223b8067a230ebe654d43', 'cancelled', '2026-11-25 02:58:19.38819+00');
INSERT INTO task_need (needs, content_key, gathered) VALUES ('1ecb6f404e0f0795f1252c8a717d92955a8647717886749be215ba411495aa4d', '6e035117afbbb9b5ff2c1a9b7e477bd871abb2bc8dfafe9f957251770b43450e', true);
INSERT INTO task_need (needs, content_key, gathered) VALUES ('510583923253393a56256bbd8839d6ef1c90d5e4b0aa2797210357e04e31797a', '6e035117afbbb9b5ff2c1a9b7e477bd871abb2bc8dfafe9f957251770b43450e', true);
INSERT INTO token (token_id, sha256, name, role, place, single, created_at, expires_at, revoked_at, used_at, request) VALUES ('96ea4bd9a5f6', '96ea4bd9a5f6a4539135c69a5f1ac7d587407db7e39bb392d0d067a29f05d372', 'cli', 'admin', 'node1:/var/lib/kaname', false, '2026-11-25 02:57:52.302585+00', NULL, NULL, '2026-11-25 02:58:26.030765+00', '');
INSERT INTO token (token_id, sha256, name, role, place, single, created_at, expires_at, revoked_at, used_at, request) VALUES ('528f48e0b290', '528f48e0b2904f7fe9bd3e8f4cba2ac617a2d01d9c0afbbbbad4430cb496f9ce', 'agent', 'worker', 'node1:/var/lib/kaname', false, '2026-11-25 02:57:52.320967+00', NULL, NULL, '2026-11-25 02:58:26.030765+00', '');
INSERT INTO token (token_id, sha256, name, role, place, single, created_at, expires_at, revoked_at, used_at, request) VALUES ('829846d7e509', '829846d7e509be7cee1cc1641ec2e5db899be1b427b4cf72e80cd987a395ea7b', 'ann', 'user', '', false, '2026-11-25 02:58:35.326616+00', NULL, NULL, NULL, 'cli/8dc6b6ae-c9c5-4f1f-bed0-54bdfd5a3e80');
INSERT INTO worker (worker_id, name, gpu_uuids, host, version, ranks, threads, lost, draining, registered_at, heartbeat_at, token_id, gone) VALUES ('35c149b4-3b5c-475e-8b92-97374285e230', '', '{GPU-aaaaaaaa-0000-0000-0000-000000000000}', 'node1', '0.1.0', 1, 1, true, false, '2026-11-25 02:57:52.642604+00', '2026-11-25 02:58:18.523214+00', '528f48e0b290', true);
INSERT INTO worker (worker_id, name, gpu_uuids, host, version, ranks, threads, lost, draining, registered_at, heartbeat_at, token_id, gone) VALUES ('290cb2fe-c8b5-41ac-b55c-2c17d8738156', '', '{GPU-aaaaaaaa-0000-0000-0000-000000000000}', 'node1', '0.1.0', 1, 1, false, false, '2026-11-25 02:58:19.595764+00', '2026-11-25 02:58:34.166784+00', '528f48e0b290', false);
SELECT pg_catalog.setval('audit_event_id_seq', 11, true);
SELECT pg_catalog.setval('campaign_position_seq', 1, false);
SELECT pg_catalog.setval('job_position_seq', 3, true);
SELECT pg_catalog.setval('task_task_id_seq', 10, true);
