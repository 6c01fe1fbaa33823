# What a generated header says of options of fields: its include of them, and their first line in comments.
/^#include "proto\/kaname\/v1\/options.pb.h"$/d
s/ \[(.kaname.v1.rule) = {$/;/
