// The icons, on a grid of 24 with one line width. They are decoration beside text.

/** By the data of a path, and of one that is filled. */
function icon(lines: string, filled?: string) {
  return function Icon({ size = 18 }: { size?: number }) {
    const pen = { strokeWidth: '1.8', strokeLinecap: 'round', strokeLinejoin: 'round' } as const
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        stroke="currentColor"
        {...pen}
        aria-hidden
      >
        <path d={lines} fill="none" />
        {filled && <path d={filled} fill="currentColor" />}
      </svg>
    )
  }
}

const circle = (x: number, y: number, r: number): string =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`

const toes = [
  circle(6.5, 11, 1.8),
  circle(10, 6.5, 1.8),
  circle(14.5, 6.5, 1.8),
  circle(18, 11, 1.8),
]
const sole =
  'M12.2 11.5c-2.4 0-5 3-5 5.3 0 1.6 1.2 2.4 2.6 2.2 1-.2 1.6-.5 2.4-.5s1.5.3 2.4.5c1.5.2 2.6-.6 2.6-2.2 0-2.3-2.5-5.3-5-5.3z'

export const CopyIcon = icon(
  'M10 8h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2zM16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2',
)
export const CheckIcon = icon('m5 12.5 4.5 4.5L19 7.5')
export const CrossIcon = icon('M6 6l12 12M18 6 6 18')
export const PlusIcon = icon('M12 5v14M5 12h14')
export const MoreIcon = icon(circle(5, 12, 1) + circle(12, 12, 1) + circle(19, 12, 1))
export const BookIcon = icon(
  'M5 4.5A1.5 1.5 0 0 1 6.5 3H19v15H6.5A1.5 1.5 0 0 0 5 19.5zM5 19.5A1.5 1.5 0 0 0 6.5 21H19v-3',
)
export const PawIcon = icon(toes.join('') + sole)
export const TagIcon = icon(
  `M3.5 12.2V4.5a1 1 0 0 1 1-1h7.7l8.3 8.3a1.5 1.5 0 0 1 0 2.1l-6.6 6.6a1.5 1.5 0 0 1-2.1 0z${circle(8, 8, 1.2)}`,
)
export const OrderIcon = icon(
  `M4 5h2l2 10h9.5L20 8H7${circle(9.5, 19, 1.3)}${circle(16.5, 19, 1.3)}`,
)
export const KeyIcon = icon(
  `${circle(8, 15.5, 3.8)}M10.8 12.7l8.2-8.2M16 7.5l2.8 2.8M13.5 10l1.8 1.8`,
)
export const HookIcon = icon(
  'M9 17a4 4 0 1 1-4.6-4M8.5 13.5 11 8.6a3.6 3.6 0 1 1 5-1.6M13 7.5l3.2 6a4 4 0 1 1-1 6.8M9 17h7',
)
export const PeopleIcon = icon(
  `${circle(9, 8, 3.2)}M3.5 19c.4-3.2 2.6-5 5.5-5s5.1 1.8 5.5 5M15.5 5.2a3.2 3.2 0 0 1 0 5.6M17 14.3c2 .6 3.2 2.2 3.5 4.7`,
)
export const ChartIcon = icon('M4 20h16M7 16v-5M12 16V5M17 16V9')
export const PulseIcon = icon('M3 12h4l2.5-7 5 14L17 12h4')
export const UserIcon = icon(`${circle(12, 8, 3.6)}M5 20c.6-3.7 3.2-5.8 7-5.8s6.4 2.1 7 5.8`)
export const ExternalIcon = icon(
  'M13 4h7v7M20 4l-9 9M18 14v4.5a1.5 1.5 0 0 1-1.5 1.5H5.5A1.5 1.5 0 0 1 4 18.5V7.5A1.5 1.5 0 0 1 5.5 6H10',
)
export const WarningIcon = icon('M12 4 2.8 19.5h18.4zM12 10v4.5M12 17.2v.1')
export const ChevronIcon = icon('m8 10 4 4 4-4')
export const RefreshIcon = icon('M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6')
export const UploadIcon = icon(
  'M12 16V4M7 9l5-5 5 5M4 16v3a1.5 1.5 0 0 0 1.5 1.5h13A1.5 1.5 0 0 0 20 19v-3',
)
export const GlobeIcon = icon(
  `${circle(12, 12, 8.5)}M3.5 12h17M12 3.5c2.5 2.5 3.7 5.3 3.7 8.5s-1.2 6-3.7 8.5c-2.5-2.5-3.7-5.3-3.7-8.5s1.2-6 3.7-8.5z`,
)
export const SearchIcon = icon(`${circle(11, 11, 6.5)}M16 16l4.5 4.5`)
export const LockIcon = icon(
  'M7 11h10a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2zM8 11V8a4 4 0 0 1 8 0v3',
)
export const LogIcon = icon('M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01')
export const SettingsIcon = icon(
  `M4 7h8.8M17.2 7H20M4 17h2.8M11.2 17H20${circle(15, 7, 2.2)}${circle(9, 17, 2.2)}`,
)
export const AppearanceIcon = icon(circle(12, 12, 8), 'M12 4a8 8 0 0 1 0 16z')
export const SignOutIcon = icon('M13 4H6v16h7M10 12h10M16.5 8.5 20 12l-3.5 3.5')
