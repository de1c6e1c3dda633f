// Invalid file names of a site, with the expected error.

export interface HostilePath {
  what: string
  path: string
  refusal: RegExp
}

export const hostilePaths: readonly HostilePath[] = [
  { what: 'up and out', path: '../evil.html', refusal: /leaves its folder/ },
  { what: 'up from inside', path: 'a/../../evil.html', refusal: /leaves its folder/ },
  { what: 'up at the end', path: 'a/..', refusal: /leaves its folder/ },
  { what: 'up after a dot', path: './../evil.html', refusal: /leaves its folder/ },
  { what: 'absolute', path: '/etc/passwd', refusal: /absolute: it starts with a slash/ },
  { what: 'absolute, two slashes', path: '//host/x', refusal: /absolute: it starts with a slash/ },
  {
    what: 'absolute after a dot',
    path: './/etc/passwd',
    refusal: /absolute: it starts with a slash/,
  },
  { what: 'a drive after a dot', path: './c:x.html', refusal: /drive letter/ },
  { what: 'a drive', path: 'C:\\windows\\x', refusal: /drive letter/ },
  { what: 'a drive, relative', path: 'c:x.html', refusal: /drive letter/ },
  { what: 'a network share', path: '\\\\server\\share\\x', refusal: /name of a computer/ },
  { what: 'a device path', path: '\\\\?\\C:\\x', refusal: /name of a computer/ },
  { what: 'backslashes', path: 'a\\b.html', refusal: /backslash/ },
  { what: 'up by backslashes', path: '..\\evil.html', refusal: /backslash/ },
  { what: 'an empty segment', path: 'a//b.html', refusal: /empty segment/ },
  { what: 'a dot as a folder', path: 'a/./b.html', refusal: /contains "\."/ },
  { what: 'a control character', path: 'a\x1b[2J.html', refusal: /control character/ },
  { what: 'a line end', path: 'a\nb.html', refusal: /control character/ },
  { what: 'a C1 control character', path: 'a\u009b.html', refusal: /control character/ },
  { what: 'a delete character', path: 'a\x7f.html', refusal: /control character/ },
  { what: 'a reversed direction', path: 'a\u202elmth.exe', refusal: /invisible/ },
  { what: 'an isolated direction', path: 'a\u2066b.html', refusal: /invisible/ },
  { what: 'a byte-order mark', path: '\ufeffa.html', refusal: /invisible/ },
  { what: 'a space without width', path: 'index\u200b.html', refusal: /invisible/ },
  { what: 'a line separator', path: 'a\u2028b.html', refusal: /invisible/ },
  { what: 'a long segment', path: `${'a'.repeat(256)}`, refusal: /longer than 255 bytes/ },
  {
    what: 'a segment of multi-byte letters',
    path: 'ä'.repeat(128),
    refusal: /longer than 255 bytes/,
  },
  {
    what: 'a long path',
    path: `${'abcdefghi/'.repeat(20)}${'x'.repeat(249)}/${'y'.repeat(249)}/${'z'.repeat(249)}/${'w'.repeat(249)}`,
    refusal: /longer than 1,024 bytes/,
  },
  { what: 'many levels', path: `${'a/'.repeat(32)}b.html`, refusal: /more than 32 levels/ },
  { what: 'a device of Windows', path: 'docs/NUL', refusal: /device on Windows/ },
  { what: 'a device with an extension', path: 'aux.html', refusal: /device on Windows/ },
  { what: 'a port', path: 'com¹.txt', refusal: /device on Windows/ },
  { what: 'a trailing dot', path: 'index.html.', refusal: /ends with a dot or a space/ },
  {
    what: 'a folder with a trailing space',
    path: 'a /b.html',
    refusal: /ends with a dot or a space/,
  },
  { what: 'three dots', path: '.../b.html', refusal: /ends with a dot or a space/ },
  { what: 'wide dots', path: 'a/．．/b.html', refusal: /read as a dot or a slash/ },
  { what: 'one character of two dots', path: '‥/b.html', refusal: /read as a dot or a slash/ },
  { what: 'a wide slash', path: 'a／..／b.html', refusal: /read as a dot or a slash/ },
  { what: 'a wide backslash', path: 'a＼b.html', refusal: /read as a dot or a slash/ },
]
