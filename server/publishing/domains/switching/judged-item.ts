// An item of the checklist as its rule gives it.
import type { SwitchItem } from './switch-schema.ts'

export type JudgedItem = Pick<SwitchItem, 'state' | 'title' | 'detail'> & Partial<SwitchItem>

export const passed = (title: string, detail: string): JudgedItem => {
  return { state: 'passed', title, detail }
}

export const failed = (title: string, detail: string, fix: string | null = null): JudgedItem => {
  return { state: 'failed', title, detail, fix }
}

export const waiting = (title: string, detail: string): JudgedItem => {
  return { state: 'waiting', title, detail }
}
