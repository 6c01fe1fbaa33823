-- SPDX-License-Identifier: BSD-3-Clause
-- $1 GPUs; newest first, at most 20 of each
select g.gpu_uuid, extract(epoch from f.told_at), f.reason
from unnest($1::text[]) as g (gpu_uuid)
cross join lateral (select told_at, reason from gpu_fault
                    where gpu_uuid = g.gpu_uuid
                    order by told_at desc limit 20) f
