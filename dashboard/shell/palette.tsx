// The palette, opened by Ctrl-K: a text finds pages, actions and records; the arrow keys choose one, Enter opens it. The focus
// stays in the field (ARIA's combobox with a list box).
import { Kbd, Loader, Modal, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { SearchIcon } from '../components/icons.tsx'
import { counted } from '../platform/numbers.ts'
import type { Account } from '../platform/session.ts'
import classes from './palette.module.css'
import { type PaletteItem, usePaletteGroups } from './palette-items.tsx'

export function Palette({ account, close }: { account: Account; close: () => void }) {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const { groups, hasFailed, isPending } = usePaletteGroups(account, typed)
  const items = groups.flatMap((group) => group.items)
  const index = Math.min(at, items.length - 1)
  const active = items[index]

  useEffect(() => {
    if (active)
      list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active])

  function run(item: PaletteItem): void {
    close()
    item.run()
  }

  function press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && items.length > 0) {
      event.preventDefault()
      setAt((index + step + items.length) % items.length)
    }
    if (event.key === 'Enter' && active && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(active)
    }
  }

  return (
    <Modal.Root opened onClose={close} size={620} yOffset="12vh" padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <div className={classes.field}>
          <SearchIcon />
          <input
            ref={field}
            className={classes.input}
            role="combobox"
            aria-label="Search projects, records, settings and actions"
            aria-expanded={items.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={active && `${id}-${index}`}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            placeholder="Search or jump to…"
            maxLength={200}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setAt(0)
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
        </div>
        <div
          className={classes.list}
          role="listbox"
          id={`${id}-list`}
          aria-label="Results"
          ref={list}
        >
          {groups.map((group) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options
            <div key={group.title} role="group" aria-label={group.title}>
              <Text className={classes.group ?? ''} aria-hidden>
                {group.title}
              </Text>
              {group.items.map((item) => {
                const place = items.indexOf(item)
                return (
                  // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
                  <div
                    key={item.id}
                    id={`${id}-${place}`}
                    role="option"
                    aria-selected={place === index}
                    className={classes.option}
                    onPointerMove={() => setAt(place)}
                    onClick={() => run(item)}
                  >
                    <span className={classes.icon}>{item.icon}</span>
                    <span className={classes.title}>{item.title}</span>
                    <span className={classes.detail}>{item.detail}</span>
                  </div>
                )
              })}
            </div>
          ))}
        </div>
        {items.length === 0 && !isPending && (
          <Text className={classes.none ?? ''} c="dimmed">
            {hasFailed
              ? 'The search is not available right now.'
              : `Nothing matches “${typed.trim()}”.`}
          </Text>
        )}
        <VisuallyHidden role="status">
          {isPending ? '' : counted(items.length, 'result')}
        </VisuallyHidden>
      </Modal.Content>
    </Modal.Root>
  )
}
