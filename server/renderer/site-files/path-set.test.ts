// Which paths can be in one site together.

import { describe, expect, it } from 'vitest'
import { createPathSet } from './canonical-path.ts'

type Step = [path: string, kind: 'file' | 'folder']

function lastOf(steps: readonly Step[]): string | undefined {
  const paths = createPathSet()
  return steps.map(([path, kind]) => paths.add(path, kind)).at(-1)
}

describe('createPathSet', () => {
  it.each<[string, Step[]]>([
    [
      'files of one folder',
      [
        ['a/b', 'file'],
        ['a/c', 'file'],
      ],
    ],
    [
      'a folder that is given, too',
      [
        ['a/b', 'file'],
        ['a', 'folder'],
        ['a', 'folder'],
      ],
    ],
    [
      'one name in two folders',
      [
        ['a/x', 'file'],
        ['b/x', 'file'],
        ['x', 'file'],
      ],
    ],
    [
      'a name that is a prefix of another',
      [
        ['ab', 'file'],
        ['a', 'file'],
        ['abc/d', 'file'],
      ],
    ],
  ])('accepts %s', (_, steps) => {
    expect(lastOf(steps)).toBeUndefined()
  })

  it.each<[string, Step[], string]>([
    [
      'a file twice',
      [
        ['a', 'file'],
        ['a', 'file'],
      ],
      '"a" occurs twice.',
    ],
    [
      'case',
      [
        ['a/B', 'file'],
        ['a/b', 'file'],
      ],
      '"a/B" and "a/b" differ only in upper and lower case. Rename one of them.',
    ],
    [
      'case of a folder',
      [
        ['A/x', 'file'],
        ['a/y', 'file'],
      ],
      '"A" and "a" differ only in upper and lower case. Rename one of them.',
    ],
    [
      'case, of a file and a folder',
      [
        ['A', 'file'],
        ['a/y', 'file'],
      ],
      '"A" and "a" differ only in upper and lower case. Rename one of them.',
    ],
    [
      'Greek sigmas',
      [
        ['ΟΔΟΣ', 'file'],
        ['οδος', 'file'],
      ],
      '"ΟΔΟΣ" and "οδος" differ only in upper and lower case. Rename one of them.',
    ],
    [
      'the Kelvin sign',
      [
        ['\u212a', 'file'],
        ['K', 'file'],
      ],
      '"\u212a" and "K" differ only in the Unicode form of their characters. Rename one of them.',
    ],
    [
      'a ligature in capitals',
      [
        ['ﬁ', 'file'],
        ['FI', 'file'],
      ],
      '"ﬁ" and "FI" differ only in upper and lower case. Rename one of them.',
    ],
    [
      'a file as a folder',
      [
        ['a', 'file'],
        ['a/b', 'file'],
      ],
      '"a" is both a file and a folder.',
    ],
    [
      'a folder as a file',
      [
        ['a/b/c', 'file'],
        ['a/b', 'file'],
      ],
      '"a/b" is both a file and a folder.',
    ],
  ])('refuses %s', (_, steps, sentence) => {
    expect(lastOf(steps)).toBe(sentence)
  })
})
