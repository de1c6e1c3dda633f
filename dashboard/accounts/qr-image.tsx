import { qrCode } from './qr-code.ts'

const quietZone = 4
const pixels = 200

/** A QR code, dark on light in both themes, as cameras need it. Nothing for a text that is too long. */
export function QrImage({ label, text }: { label: string; text: string }) {
  const modules = qrCode(text)
  if (!modules) return null
  const size = modules.length + 2 * quietZone
  const path = modules.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x + quietZone} ${y + quietZone}h1v1h-1z` : [])),
  )
  return (
    <svg
      role="img"
      aria-label={label}
      width={pixels}
      height={pixels}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} rx="2" fill="#fff" />
      <path d={path.join('')} fill="#000" />
    </svg>
  )
}
