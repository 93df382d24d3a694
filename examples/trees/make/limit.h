/* How far to search. */
#define LIMIT 60000
