-- SPDX-License-Identifier: BSD-3-Clause
select kind, value, host, reason, extract(epoch from since), set_by
from drain
order by kind desc, value
