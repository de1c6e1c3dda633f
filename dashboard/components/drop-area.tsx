// An area that files are dropped on, and a button that chooses files.
import { Button, Center } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'

interface DropAreaProps {
  onDrop: (dropped: DataTransfer) => void
  children: ReactNode
}

export function DropArea({ children, onDrop }: DropAreaProps) {
  const [isDragOver, setDragOver] = useState(false)
  return (
    // The buttons in it do the same.
    <Center
      mih="11rem"
      p="1.25rem"
      bdrs="md"
      bg={isDragOver ? 'light-dark(#e7f0e8, #1f2f27)' : 'var(--surface)'}
      bd={`2px dashed var(${isDragOver ? '--mantine-primary-color-filled' : '--line'})`}
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
    </Center>
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
