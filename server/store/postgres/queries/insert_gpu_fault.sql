-- SPDX-License-Identifier: BSD-3-Clause
insert into gpu_fault (fault_id, gpu_uuid, worker_id, reason) values ($1, $2, $3, $4)
on conflict do nothing
