-- SPDX-License-Identifier: BSD-3-Clause
-- Of files that went another way; one that is still there is only noted anew.
delete from loose_file
where ctid = any (array(
    select ctid from loose_file where since < store_now() - $1::float8 * interval '1 second'
    limit $2))
returning 1
