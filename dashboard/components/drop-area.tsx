// An area that files are dropped on, and a button that chooses files.
import { Button } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import classes from './drop-area.module.css'

interface DropAreaProps {
  onDrop: (dropped: DataTransfer) => void
  children: ReactNode
}

export function DropArea({ children, onDrop }: DropAreaProps) {
  const [isDragOver, setDragOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it do the same
    <div
      className={classes.area}
      data-over={isDragOver}
      onDragOver={(event) => {
        event.preventDefault()
        setDragOver(true)
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setDragOver(false)
        onDrop(event.dataTransfer)
      }}
    >
      {children}
    </div>
  )
}

export function FileButton({
  children,
  isPending = false,
  label,
  onChoose,
  ...input
}: {
  label: string
  accept?: string
  /** Chooses a folder with all its files. */
  webkitdirectory?: ''
  onChoose: (files: FileList) => void
  isPending?: boolean
  children: ReactNode
}) {
  const ref = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant="default" loading={isPending} onClick={() => ref.current?.click()}>
        {children}
      </Button>
      <input
        type="file"
        hidden
        ref={ref}
        aria-label={label}
        {...input}
        onChange={({ currentTarget }) => {
          if (currentTarget.files) onChoose(currentTarget.files)
          // The same file can be chosen again after it was fixed.
          currentTarget.value = ''
        }}
      />
    </>
  )
}
