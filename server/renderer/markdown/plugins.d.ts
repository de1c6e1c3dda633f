// The plugins of markdown-it that have no types of their own: functions for `use`.
declare module 'markdown-it-*'
