// How long an old key or secret goes on beside its successor: seconds as text, for a choice.
export const overlaps = [
  { value: '0', label: 'not at all' },
  { value: '3600', label: 'for 1 hour' },
  { value: '86400', label: 'for 1 day' },
  { value: '604800', label: 'for 7 days' },
  { value: '2592000', label: 'for 30 days' },
]
