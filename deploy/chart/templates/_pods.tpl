{{/* Common parts of pods. */}}

{{/* (dict "root" $ "image" {…}) */}}
{{- define "svc.image" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" .image.repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" .image.repository (.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end }}

{{/* Scheduling and security context of a pod: (dict "root" $ "part" .Values.controller "selector" "…"). */}}
{{- define "svc.pod" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
# A Service named svc would set SVC_PORT=tcp://… in the environment, which is not a port.
enableServiceLinks: false
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- with .part.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .part.runtimeClassName }}
runtimeClassName: {{ . | quote }}
{{- end }}
{{- with .part.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .part.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .part.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .part.topologySpreadConstraints }}
topologySpreadConstraints:
{{- range . }}
  - {{ toYaml . | nindent 4 | trim }}
    {{- if not .labelSelector }}
    labelSelector:
      matchLabels:
        {{- $.selector | nindent 8 }}
    {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Image and security context of a container: (dict "root" $ "image" {…}). */}}
{{- define "svc.container" -}}
image: {{ include "svc.image" . | quote }}
imagePullPolicy: {{ .image.pullPolicy }}
securityContext:
  {{- toYaml .root.Values.containerSecurityContext | nindent 2 }}
{{- end }}

{{/*
Environment from a dict of variables, sorted by name. Variables that are null or "" are left out, so that the process
uses its default. "$(" is escaped: it would refer to another variable.
*/}}
{{- define "svc.env" -}}
{{- range $name, $value := . }}
{{- if kindIs "float64" $value }}
{{- if eq $value (floor $value) }}{{ $value = int64 $value }}{{ end }}
{{- end }}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}
- name: {{ $name }}
  value: {{ toString $value | replace "$(" "$$(" | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Environment variables of every process: (dict "root" $ "part" {…}). */}}
{{- define "svc.env.common" -}}
{{- include "svc.env" (dict
  "SVC_HOST" .root.Values.listenAddress
  "SVC_LOG_LEVEL" .part.log.level
  "SVC_LOG_FORMAT" .part.log.format
  "SVC_DRAIN_TIMEOUT" .part.drainTimeout
  "SVC_OTLP_ENDPOINT" .root.Values.tracing.otlpEndpoint
  "SVC_TRACE_SAMPLE" .root.Values.tracing.sample
  "NODE_EXTRA_CA_CERTS" (include "svc.extraCa.path" .root)) }}
{{- end }}

{{/* The allowed hosts of a part as flags, including the pod's own address, which Prometheus uses. */}}
{{- define "svc.allowedHosts.args" -}}
{{- range .allowedHosts }}
- {{ printf "--allowed-hosts=%s" . | quote }}
{{- end }}
{{- if .allowedHosts }}
- "--allowed-hosts=$(OWN_ADDRESS)"
{{- end }}
{{- end }}

{{- define "svc.allowedHosts.env" -}}
{{- if .allowedHosts }}
- name: OWN_ADDRESS
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
{{- end }}
{{- end }}

{{- define "svc.extraCa.path" -}}
{{- if or .Values.extraCa.existingSecret .Values.extraCa.existingConfigMap -}}/etc/svc/extra-ca/ca.crt{{- end -}}
{{- end }}

{{/* A volume of keys of a Secret, or else of a ConfigMap: (dict "name" "…" "secret" "…" "configMap" "…" "items" (dict "key" "file")). */}}
{{- define "svc.volume" -}}
- name: {{ .name | quote }}
  {{- if .secret }}
  secret:
    secretName: {{ .secret | quote }}
  {{- else }}
  configMap:
    name: {{ .configMap | quote }}
  {{- end }}
    items:
    {{- range $key, $file := .items }}
      - key: {{ $key | quote }}
        path: {{ $file }}
    {{- end }}
{{- end }}

{{- define "svc.extraCa.volume" -}}
{{- if include "svc.extraCa.path" . }}
{{ include "svc.volume" (dict "name" "extra-ca" "secret" .Values.extraCa.existingSecret "configMap" .Values.extraCa.existingConfigMap "items" (dict .Values.extraCa.key "ca.crt")) }}
{{- end }}
{{- end }}

{{- define "svc.extraCa.mount" -}}
{{- if include "svc.extraCa.path" . }}
- name: extra-ca
  mountPath: /etc/svc/extra-ca
  readOnly: true
{{- end }}
{{- end }}

{{- define "svc.tmp.volume" -}}
- name: tmp
  emptyDir:
    {{- if .inMemory }}
    medium: Memory
    {{- end }}
    sizeLimit: {{ .sizeLimit }}
{{- end }}

{{- define "svc.media.volumes" -}}
{{- range .Values.media.volumes }}
- name: media-{{ .name }}
  {{- toYaml (omit . "name" "mountPath" "subPath") | nindent 2 }}
{{- end }}
{{- end }}

{{- define "svc.media.mounts" -}}
{{- range .Values.media.volumes }}
- name: media-{{ .name }}
  mountPath: {{ .mountPath | quote }}
  {{- with .subPath }}
  subPath: {{ . | quote }}
  {{- end }}
  readOnly: true
{{- end }}
{{- end }}

{{/* The whole cores of a CPU limit, at least 1; empty if there is no limit: (dict "limits" {…}). */}}
{{- define "svc.cores" -}}
{{- with (.limits | default dict).cpu -}}
{{- $cpu := toString . -}}
{{- if hasSuffix "m" $cpu -}}
{{- max 1 (div (trimSuffix "m" $cpu | int) 1000) -}}
{{- else -}}
{{- max 1 (float64 $cpu | floor | int) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* An HTTP probe: (dict "path" "/v1/health" "port" "rest" "scheme" "HTTP"). */}}
{{- define "svc.probe" -}}
httpGet:
  path: {{ .path }}
  port: {{ .port }}
  scheme: {{ .scheme | default "HTTP" }}
{{- end }}
