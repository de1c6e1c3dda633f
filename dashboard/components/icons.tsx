// The icons, on a grid of 24 with one line width. They are decoration beside text.
import { createElement, type ReactNode } from 'react'

function icon(...shapes: ReactNode[]) {
  return function Icon({ size = 18 }: { size?: number }) {
    const attributes = {
      width: size,
      height: size,
      viewBox: '0 0 24 24',
      fill: 'none',
      stroke: 'currentColor',
      strokeWidth: '1.8',
      strokeLinecap: 'round',
      strokeLinejoin: 'round',
      'aria-hidden': true,
    } as const
    return createElement('svg', attributes, ...shapes)
  }
}

export const CopyIcon = icon(
  <rect x="8" y="8" width="12" height="12" rx="2" />,
  <path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2" />,
)
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />)
export const CrossIcon = icon(<path d="M6 6l12 12M18 6 6 18" />)
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />)
export const MoreIcon = icon(
  <circle cx="5" cy="12" r="1" />,
  <circle cx="12" cy="12" r="1" />,
  <circle cx="19" cy="12" r="1" />,
)
export const BookIcon = icon(
  <path d="M5 4.5A1.5 1.5 0 0 1 6.5 3H19v15H6.5A1.5 1.5 0 0 0 5 19.5z" />,
  <path d="M5 19.5A1.5 1.5 0 0 0 6.5 21H19v-3" />,
)
export const PawIcon = icon(
  <circle cx="6.5" cy="11" r="1.8" />,
  <circle cx="10" cy="6.5" r="1.8" />,
  <circle cx="14.5" cy="6.5" r="1.8" />,
  <circle cx="18" cy="11" r="1.8" />,
  <path d="M12.2 11.5c-2.4 0-5 3-5 5.3 0 1.6 1.2 2.4 2.6 2.2 1-.2 1.6-.5 2.4-.5s1.5.3 2.4.5c1.5.2 2.6-.6 2.6-2.2 0-2.3-2.5-5.3-5-5.3z" />,
)
export const TagIcon = icon(
  <path d="M3.5 12.2V4.5a1 1 0 0 1 1-1h7.7l8.3 8.3a1.5 1.5 0 0 1 0 2.1l-6.6 6.6a1.5 1.5 0 0 1-2.1 0z" />,
  <circle cx="8" cy="8" r="1.2" />,
)
export const OrderIcon = icon(
  <path d="M4 5h2l2 10h9.5L20 8H7" />,
  <circle cx="9.5" cy="19" r="1.3" />,
  <circle cx="16.5" cy="19" r="1.3" />,
)
export const KeyIcon = icon(
  <circle cx="8" cy="15.5" r="3.8" />,
  <path d="m10.8 12.7 8.2-8.2M16 7.5l2.8 2.8M13.5 10l1.8 1.8" />,
)
export const HookIcon = icon(
  <path d="M9 17a4 4 0 1 1-4.6-4" />,
  <path d="M8.5 13.5 11 8.6a3.6 3.6 0 1 1 5-1.6" />,
  <path d="M13 7.5l3.2 6a4 4 0 1 1-1 6.8M9 17h7" />,
)
export const PeopleIcon = icon(
  <circle cx="9" cy="8" r="3.2" />,
  <path d="M3.5 19c.4-3.2 2.6-5 5.5-5s5.1 1.8 5.5 5M15.5 5.2a3.2 3.2 0 0 1 0 5.6M17 14.3c2 .6 3.2 2.2 3.5 4.7" />,
)
export const ChartIcon = icon(<path d="M4 20h16M7 16v-5M12 16V5M17 16V9" />)
export const PulseIcon = icon(<path d="M3 12h4l2.5-7 5 14L17 12h4" />)
export const UserIcon = icon(
  <circle cx="12" cy="8" r="3.6" />,
  <path d="M5 20c.6-3.7 3.2-5.8 7-5.8s6.4 2.1 7 5.8" />,
)
export const ExternalIcon = icon(
  <path d="M13 4h7v7M20 4l-9 9M18 14v4.5a1.5 1.5 0 0 1-1.5 1.5H5.5A1.5 1.5 0 0 1 4 18.5V7.5A1.5 1.5 0 0 1 5.5 6H10" />,
)
export const WarningIcon = icon(
  <path d="M12 4 2.8 19.5h18.4z" />,
  <path d="M12 10v4.5M12 17.2v.1" />,
)
export const ChevronIcon = icon(<path d="m8 10 4 4 4-4" />)
export const RefreshIcon = icon(<path d="M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6" />)
export const UploadIcon = icon(
  <path d="M12 16V4M7 9l5-5 5 5M4 16v3a1.5 1.5 0 0 0 1.5 1.5h13A1.5 1.5 0 0 0 20 19v-3" />,
)
export const GlobeIcon = icon(
  <circle cx="12" cy="12" r="8.5" />,
  <path d="M3.5 12h17M12 3.5c2.5 2.5 3.7 5.3 3.7 8.5s-1.2 6-3.7 8.5c-2.5-2.5-3.7-5.3-3.7-8.5s1.2-6 3.7-8.5z" />,
)
export const SearchIcon = icon(<circle cx="11" cy="11" r="6.5" />, <path d="m16 16 4.5 4.5" />)
export const LockIcon = icon(
  <rect x="5" y="11" width="14" height="9" rx="2" />,
  <path d="M8 11V8a4 4 0 0 1 8 0v3" />,
)
export const LogIcon = icon(
  <path d="M8 6h12M8 12h12M8 18h12" />,
  <path d="M4 6h.01M4 12h.01M4 18h.01" />,
)
export const SettingsIcon = icon(
  <path d="M4 7h8.8M17.2 7H20M4 17h2.8M11.2 17H20" />,
  <circle cx="15" cy="7" r="2.2" />,
  <circle cx="9" cy="17" r="2.2" />,
)
export const AppearanceIcon = icon(
  <circle cx="12" cy="12" r="8" />,
  <path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor" />,
)
export const SignOutIcon = icon(<path d="M13 4H6v16h7M10 12h10M16.5 8.5 20 12l-3.5 3.5" />)
