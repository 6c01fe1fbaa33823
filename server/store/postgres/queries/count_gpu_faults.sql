-- SPDX-License-Identifier: BSD-3-Clause
-- $1 GPUs, $2 seconds that a fault is remembered, $3 faults that are too many.
select gpu_uuid, count(*), (array_agg(reason order by told_at desc, fault_id desc))[1]
from gpu_fault
where gpu_uuid = any ($1::text[]) and told_at > store_now() - ($2::float8 * interval '1 second')
group by gpu_uuid
having count(*) >= $3
