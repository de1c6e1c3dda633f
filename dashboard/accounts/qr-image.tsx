import encodeQr from 'qr'

const quietZone = 4
const pixels = 200

/** A QR code, dark on light in both themes, as cameras need it. Throws for more than 2,331 bytes. */
export function QrImage({ label, text }: { label: string; text: string }) {
  const modules = encodeQr(text, 'raw', { ecc: 'medium', border: quietZone })
  const size = modules.length
  const path = modules.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
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
