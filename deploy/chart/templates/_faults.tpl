{{/* All faults of the values, one per line. */}}
{{- define "svc.faults" -}}
{{- include "svc.faults.parts" . }}
{{- include "svc.faults.auth" . }}
{{- include "svc.faults.nodes" . }}
{{- include "svc.faults.media" . }}
{{- include "svc.faults.mounts" . }}
{{- include "svc.faults.routes" . }}
{{- include "svc.faults.environment" . }}
{{- include "svc.missing" . }}
{{- end }}

{{- define "svc.faults.parts" -}}
{{- $v := .Values -}}
{{- if and (or $v.controller.enabled $v.server.enabled) (not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" (include "svc.fullname" .))) }}
The release name {{ .Release.Name }} starts with a digit or contains a dot, which a Service name must not. Set fullnameOverride, or choose another name.
{{- end }}
{{- if not $v.image.repository }}
image.repository is empty. Give the image that you pushed, without its tag.
{{- end }}
{{- include "svc.faults.labels" (list "commonLabels" $v.commonLabels) }}
{{- include "svc.faults.labels" (list "controller.podLabels" $v.controller.podLabels) }}
{{- include "svc.faults.labels" (list "server.podLabels" $v.server.podLabels) }}
{{- include "svc.faults.labels" (list "migration.podLabels" $v.migration.podLabels) }}
{{- if not (or $v.controller.enabled $v.nodes.pools $v.server.enabled) }}
controller.enabled and server.enabled are false and nodes.pools is empty: nothing would run. Enable one of them.
{{- end }}
{{- if and $v.controller.enabled (not $v.database.existingSecret) }}
database.existingSecret is empty. Give a Secret of the namespace whose key {{ $v.database.key | quote }} holds the URL of the PostgreSQL database.
{{- end }}
{{- if and $v.controller.tls.clientCa.existingSecret (not $v.controller.tls.existingSecret) }}
controller.tls.clientCa.existingSecret is set without controller.tls.existingSecret. Give the Secret with the controllers' certificate too.
{{- end }}
{{- if ne (empty $v.controller.console.oidc.issuer) (empty $v.controller.console.oidc.clientId) }}
controller.console.oidc.issuer and controller.console.oidc.clientId need each other. Set both, or none.
{{- end }}
{{- if and $v.extraCa.existingSecret $v.extraCa.existingConfigMap }}
extraCa.existingSecret and extraCa.existingConfigMap are both set. Set one.
{{- end }}
{{- if and $v.server.enabled (not $v.server.mediaRoots) }}
server.mediaRoots is empty. List the directories that videos may be read from: otherwise everyone who can reach the server could read all of its files.
{{- end }}
{{- end }}

{{/* Labels that the chart sets and uses as selectors: (list "path" {labels}). */}}
{{- define "svc.faults.labels" -}}
{{- range $name, $value := last . }}
{{- if regexMatch "^(app\\.kubernetes\\.io|helm\\.sh|svc\\.dev)/" $name }}
{{ first $ }} has {{ $name | quote }}, which the chart sets itself. Choose another label.
{{- end }}
{{- end }}
{{- end }}

{{- define "svc.faults.nodes" -}}
{{- $v := .Values -}}
{{- if and $v.nodes.pools (not $v.controller.enabled) (not $v.nodes.controller) }}
nodes.controller is empty, and controller.enabled is false. Give the host:port of the controller that the nodes work for, or set nodes.pools.cpu=null.
{{- end }}
{{- if eq (include "svc.nodes.tls" .) "" }}
{{- with $v.nodes.tls }}
{{- if or .ca.existingSecret .clientCertificate.existingSecret }}
nodes.tls.enabled is false, and nodes.tls names Secrets. Remove one of them.
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $given := $v.nodes.pools }}
{{- $pool := include "svc.pool" (dict "root" $ "pool" $given) | fromJson }}
{{- include "svc.faults.labels" (list (printf "nodes.pools.%s.podLabels" $name) $pool.podLabels) }}
{{- $oidc := $pool.credentials.oidc }}
{{- $withOidc := or $oidc.tokenUrl $oidc.clientId $oidc.existingSecret }}
{{- if and $pool.credentials.token.existingSecret $withOidc }}
nodes.credentials of the pool {{ $name }} has a token and oidc. Set one: a pool removes a credential set for all pools with an empty value.
{{- else if and $withOidc (not (and $oidc.tokenUrl $oidc.clientId $oidc.existingSecret)) }}
nodes.credentials.oidc of the pool {{ $name }} needs all of tokenUrl, clientId and existingSecret.
{{- else if and $v.auth.enabled $v.controller.enabled (not $pool.credentials.token.existingSecret) (not $withOidc) }}
nodes.credentials.token.existingSecret is empty, and so is nodes.credentials.oidc.existingSecret. Give the Secret with the token, or the client secret, of the nodes of the pool {{ $name }}.
{{- end }}
{{- with $pool.autoscaling }}
{{- if .enabled }}
{{- if gt (int .minReplicas) (int .maxReplicas) }}
nodes.pools.{{ $name }}.autoscaling.minReplicas {{ .minReplicas }} is more than its maxReplicas {{ .maxReplicas }}.
{{- end }}
{{- if and (eq $v.autoscaling.kind "hpa") (eq (int .minReplicas) 0) }}
nodes.pools.{{ $name }}.autoscaling.minReplicas is 0, which a HorizontalPodAutoscaler does not support. Set it to 1, or autoscaling.kind to keda.
{{- end }}
{{- if and (eq $v.autoscaling.kind "hpa") .scorer }}
nodes.pools.{{ $name }}.autoscaling.scorer is {{ .scorer | quote }}, which a HorizontalPodAutoscaler cannot select by. Remove it, or set autoscaling.kind to keda.
{{- end }}
{{- if and (eq $v.autoscaling.kind "keda") (not $v.autoscaling.keda.prometheusAddress) }}
autoscaling.keda.prometheusAddress is empty, but the autoscaling of the pool {{ $name }} needs it. Give the URL of the Prometheus server that has this release's metrics.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "svc.faults.media" -}}
{{- $volumes := .Values.media.volumes -}}
{{- $roots := list -}}
{{- range $at, $root := .Values.media.roots }}{{ $roots = append $roots (list (printf "media.roots[%d]" $at) $root) }}{{ end }}
{{- if .Values.server.enabled }}
{{- range $at, $root := .Values.server.mediaRoots }}{{ $roots = append $roots (list (printf "server.mediaRoots[%d]" $at) $root) }}{{ end }}
{{- end }}
{{- range $roots }}
{{- $root := last . }}
{{- $found := false }}
{{- range $volumes }}
{{- if hasPrefix (printf "%s/" (trimSuffix "/" .mountPath)) (printf "%s/" $root) }}{{ $found = true }}{{ end }}
{{- end }}
{{- if not $found }}
{{ first . }} {{ $root | quote }} is in no volume of media.volumes. Mount one there, or at a parent directory.
{{- end }}
{{- end }}
{{- end }}

{{- define "svc.faults.routes" -}}
{{- $v := .Values -}}
{{- if not $v.controller.enabled }}
{{- if or $v.ingress.rest.enabled $v.ingress.grpc.enabled $v.gateway.enabled }}
ingress and gateway route to controllers, and controller.enabled is false. Remove one of them.
{{- end }}
{{- end }}
{{- range $kind := list "rest" "grpc" }}
{{- with get $v.ingress $kind }}
{{- if and .enabled (not .hosts) }}
ingress.{{ $kind }}.hosts is empty. Give its host names.
{{- end }}
{{- end }}
{{- end }}
{{- if $v.gateway.enabled }}
{{- if not $v.gateway.parentRefs }}
gateway.parentRefs is empty. Give the Gateway that the routes attach to.
{{- end }}
{{- if not $v.gateway.rest.hostnames }}
gateway.rest.hostnames is empty. Give the host names of REST.
{{- end }}
{{- range $v.gateway.grpc.hostnames }}
{{- if has . $v.gateway.rest.hostnames }}
gateway.grpc.hostnames has {{ . | quote }}, and so has gateway.rest.hostnames. A listener accepts one kind of route per name: give gRPC its own name.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
