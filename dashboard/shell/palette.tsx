// The palette, opened by Ctrl-K: a text finds pages, actions and records; the arrow keys choose one, Enter opens it. The focus
// stays in the field (ARIA's combobox with a list box).
import {
  Box,
  Center,
  Group,
  Kbd,
  Loader,
  Modal,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import {
  Fragment,
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { SearchIcon } from '../components/icons.tsx'
import { counted } from '../platform/formats.ts'
import type { Account } from '../platform/session.ts'
import classes from './palette.module.css'
import { type PaletteItem, usePaletteGroups } from './palette-items.tsx'

const itemsOfPage = 8

export function Palette({ account, close }: { account: Account; close: () => void }) {
  const [typed, setTyped] = useState('')
  /** Its ID: it stays selected when results arrive before it. */
  const [selected, setSelected] = useState<string>()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const isByKey = useRef(false)
  /** Since something was typed. */
  const pointed = useRef<PaletteItem>(undefined)
  useEffect(() => field.current?.focus(), [])
  const { groups, hasFailed, isPending, open } = usePaletteGroups(account, typed)
  const items = groups.flatMap(([, items]) => items)
  const active = items.find((item) => item.id === selected) ?? items[0]
  const activeId = active?.id
  const idOf = (item: PaletteItem): string => `${id}-${encodeURIComponent(item.id)}`

  useEffect(() => {
    setSelected(activeId)
    // Nothing moves below the pointer.
    if (activeId === undefined || !isByKey.current) return
    const option = list.current?.querySelector('[aria-selected="true"]')
    // With the title of its group.
    const isFirst = option?.previousElementSibling?.getAttribute('role') !== 'option'
    const shown = isFirst ? option?.parentElement?.firstElementChild : undefined
    shown?.scrollIntoView({ block: 'nearest' })
    option?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  function run(item: PaletteItem): void {
    close()
    open(item)
  }

  function press(event: KeyboardEvent): void {
    const index = items.findIndex((item) => item.id === activeId)
    const last = items.length - 1
    const to = {
      ArrowDown: index === last ? 0 : index + 1,
      ArrowUp: index === 0 ? last : index - 1,
      PageDown: Math.min(last, index + itemsOfPage),
      PageUp: Math.max(0, index - itemsOfPage),
    }[event.key]
    if (to !== undefined && last >= 0) {
      event.preventDefault()
      isByKey.current = true
      setSelected(items[to]?.id)
    }
    if (event.key === 'Enter' && active && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(active)
    }
  }

  /** Results may have moved below a pointer that rests: what it was on is opened. */
  function click(event: MouseEvent, item: PaletteItem): void {
    const { nativeEvent } = event
    const isMouse = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'mouse'
    run((isMouse && pointed.current) || item)
  }

  return (
    <Modal.Root opened onClose={close} size={620} yOffset="12vh" padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <Group
          gap="0.7rem"
          wrap="nowrap"
          px="1rem"
          c="dimmed"
          style={{ borderBottom: '1px solid var(--line)' }}
        >
          <SearchIcon />
          <input
            ref={field}
            className={classes.input}
            role="combobox"
            aria-label="Search projects, records, settings and actions"
            aria-expanded={items.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={active && idOf(active)}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            placeholder="Search or jump to…"
            maxLength={200}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setSelected(undefined)
              pointed.current = undefined
              list.current?.scrollTo(0, 0)
            }}
            onKeyDown={press}
            data-autofocus
          />
          {isPending && <Loader size={16} aria-hidden />}
          <UnstyledButton onClick={close}>
            <VisuallyHidden>Close</VisuallyHidden>
            <Kbd size="xs" aria-hidden>
              Esc
            </Kbd>
          </UnstyledButton>
        </Group>
        <Box
          mah="min(26rem, 60vh)"
          p={items.length === 0 ? 0 : '0.4rem'}
          style={{ overflowY: 'auto' }}
          role="listbox"
          id={`${id}-list`}
          aria-label="Results"
          ref={list}
        >
          {groups.map(([title, items]) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options
            <div key={title} role="group" aria-label={title}>
              <Text p="0.6rem 0.6rem 0.25rem" c="dimmed" fz="0.78rem" fw={600} aria-hidden>
                {title}
              </Text>
              {items.map((item) => (
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
                <div
                  key={item.id}
                  id={idOf(item)}
                  role="option"
                  aria-selected={item.id === activeId}
                  className={classes.option}
                  onPointerMove={() => {
                    isByKey.current = false
                    pointed.current = item
                    setSelected(item.id)
                  }}
                  onClick={(event) => click(event, item)}
                >
                  <Center inline w={18} className={classes.icon ?? ''}>
                    {item.icon}
                  </Center>
                  <Text span inherit truncate>
                    <Marked {...item} />
                  </Text>
                  <Text
                    span
                    truncate
                    ml="auto"
                    maw="50%"
                    fz="0.85rem"
                    className={classes.detail ?? ''}
                  >
                    {item.detail}
                  </Text>
                </div>
              ))}
            </div>
          ))}
        </Box>
        {items.length === 0 && !isPending && (
          <Text p="1.5rem 1rem" ta="center" c="dimmed">
            {hasFailed
              ? 'The search is not available right now.'
              : `Nothing matches “${typed.trim()}”.`}
          </Text>
        )}
        <Group
          justify="space-between"
          wrap="nowrap"
          mih="2.25rem"
          p="0.3rem 1rem"
          c="dimmed"
          fz="0.8rem"
          style={{ borderTop: '1px solid var(--line)' }}
        >
          <span role="status">{isPending ? '' : textOf(items.length, hasFailed)}</span>
          <Group gap="0.9rem" wrap="nowrap" className={classes.keys ?? ''} aria-hidden>
            <span>
              <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> Select
            </span>
            <span>
              <Kbd size="xs">↵</Kbd> Open
            </span>
            <span>
              <Kbd size="xs">Esc</Kbd> Close
            </span>
          </Group>
        </Group>
      </Modal.Content>
    </Modal.Root>
  )
}

function textOf(results: number, hasFailed: boolean): string {
  const found = counted(results, 'result')
  return hasFailed && results > 0 ? `${found}; records could not be searched` : found
}

/** The title, with what was typed marked. */
function Marked({ marks = [], title }: PaletteItem) {
  const ends = marks.map(([, end]) => end)
  return (
    <>
      {marks.map(([start, end], i) => (
        <Fragment key={start}>
          {title.slice(ends[i - 1] ?? 0, start)}
          <mark className={classes.mark}>{title.slice(start, end)}</mark>
        </Fragment>
      ))}
      {title.slice(ends.at(-1) ?? 0)}
    </>
  )
}
